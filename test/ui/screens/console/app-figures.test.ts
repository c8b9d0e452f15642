// Tests rates and histories of the last readings, and that they are bounded.

import { describe, expect, test } from "vitest";
import { FigureHistory } from "../../../../source/ui/screens/console/app-figures.ts";
import { sampleApp, sampleUsage } from "./sample-cloud.ts";

describe("figures", () => {
  test("are rates between readings over the last seconds", () => {
    const book = new FigureHistory();
    const take = (requests: number, errors: number, atMs: number) => {
      const usage = sampleUsage({ requests, errors, clientErrors: 2 * errors, ttfbMsP95: 120 });
      book.take([sampleApp()], [usage], atMs);
    };
    take(100, 0, 0);
    expect(book.of("local/tiny").requestsPerSecond).toBeUndefined();
    take(150, 5, 10_000);
    expect(book.of("local/tiny")).toMatchObject({
      requestsPerSecond: 5,
      errorShare: 0.1,
      clientErrorShare: 0.2,
      ttfbMsP95: 120,
    });
    take(150, 5, 20_000);
    take(150, 5, 30_000);
    expect(book.of("local/tiny")).toMatchObject({ requestsPerSecond: 0, errorShare: undefined });
  });

  test("start over when the counters do, as every hour", () => {
    const book = new FigureHistory();
    book.take([sampleApp()], [sampleUsage({ requests: 500 })], 0);
    book.take([sampleApp()], [sampleUsage({ requests: 4 })], 2000);
    expect(book.of("local/tiny").requestsPerSecond).toBeUndefined();
    book.take([sampleApp()], [sampleUsage({ requests: 8 })], 4000);
    expect(book.of("local/tiny").requestsPerSecond).toBe(2);
  });

  test("of an app without requests are empty, and its first request counts", () => {
    const book = new FigureHistory();
    book.take([sampleApp()], [], 0);
    book.take([sampleApp()], [sampleUsage({ requests: 3 })], 1000);
    expect(book.of("local/tiny").requestsPerSecond).toBe(3);
  });

  test("keep a minute of history, and none for a deleted app", () => {
    const book = new FigureHistory();
    for (let index = 0; index < 100; index += 1)
      book.take([sampleApp({ inFlight: index })], undefined, 0);
    expect(book.of("local/tiny").inFlight).toHaveLength(60);
    expect(book.of("local/tiny").inFlight.at(-1)).toBe(99);
    book.take([], undefined, 0);
    expect(book.of("local/tiny").inFlight).toEqual([]);
  });
});
