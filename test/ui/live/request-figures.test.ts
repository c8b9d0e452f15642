// Tests the figures of the last minute of the request log.

import { expect, test } from "vitest";
import { requestFigures } from "../../../source/ui/live/request-figures.ts";
import { requestView } from "../support/request-views.ts";

const now = 10_000_000;

function at(secondsAgo: number, change: Parameters<typeof requestView>[0] = {}) {
  return requestView({ startedAt: now - secondsAgo * 1000, totalMs: 0, ...change });
}

test("requests are counted per second, the newest last", () => {
  const { requestsPerSecond } = requestFigures([at(61), at(60), at(3), at(3), at(1), at(0)], now);
  expect(requestsPerSecond).toHaveLength(60);
  expect(requestsPerSecond[0]).toBe(1);
  expect(requestsPerSecond.slice(-3)).toEqual([2, 0, 1]);
});

test("errors are failures of the server or of requests, not disconnected clients", () => {
  const figures = requestFigures(
    [
      at(5, { status: 500 }),
      at(5, { status: 404 }),
      at(5, { state: "cancelled", status: 499 }),
      at(5, { status: undefined, error: { code: "X", message: "lost" } }),
      at(5),
      at(90, { status: 500 }),
      at(2, { state: "running", status: undefined }),
    ],
    now,
  );
  expect(figures.errorShare).toBe(3 / 5);
  expect(figures.errorsPerSecond.at(-5)).toBe(3);
});

test("time to the first token is shown as median and high percentile", () => {
  const views = Array.from({ length: 100 }, (_, index) => at(9, { firstTokenMs: index }));
  expect(requestFigures(views, now)).toMatchObject({ ttftMedianMs: 50, ttft95Ms: 95 });
});

test("cached tokens are a share of all prompt tokens; speed counts the others", () => {
  const figures = requestFigures([at(5)], now);
  expect(figures.cachedShare).toBeCloseTo(1210 / 2014);
  expect(figures.promptTokensPerSecond).toBeCloseTo((2014 - 1210) / 0.8);
});

test("prompts of fewer than 16 computed tokens do not count for the speed", () => {
  const short = { promptTokens: 2014, cachedTokens: 1999, promptMs: 90 };
  expect(requestFigures([at(5, short)], now).promptTokensPerSecond).toBeUndefined();
  expect(requestFigures([at(5, short), at(4)], now).promptTokensPerSecond).toBeCloseTo(
    (2014 - 1210) / 0.8,
  );
});

test("without requests there are no figures", () => {
  expect(requestFigures([], now)).toMatchObject({
    errorShare: undefined,
    ttftMedianMs: undefined,
    ttft95Ms: undefined,
    cachedShare: undefined,
    promptTokensPerSecond: undefined,
  });
});
