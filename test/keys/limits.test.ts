// Rate limits for a key, and for failed attempts.
import { expect, test } from "vitest";
import { FailedAttempts } from "../../source/keys/failed-attempts.ts";
import { RequestBudget } from "../../source/keys/request-budget.ts";

function clockAt(start: number) {
  const clock = { time: start, now: () => clock.time, wallMs: () => clock.time };
  return clock;
}

test("a key may use its limit at once, and then as it refills", () => {
  const clock = clockAt(0);
  const budget = new RequestBudget(6, clock);
  expect(Array.from({ length: 6 }, () => budget.take("a"))).toEqual([0, 0, 0, 0, 0, 0]);
  expect(budget.take("a")).toBe(10_000);
  clock.time += 4000;
  expect(budget.take("a")).toBeCloseTo(6000);
  clock.time += 6001;
  expect(budget.take("a")).toBe(0);
  expect(budget.take("a")).toBeGreaterThan(0);
});

test("keys have separate limits, and an idle one saves up at most a minute", () => {
  const clock = clockAt(0);
  const budget = new RequestBudget(2, clock);
  budget.take("a");
  budget.take("a");
  expect(budget.take("b")).toBe(0);
  clock.time += 3_600_000;
  expect([budget.take("a"), budget.take("a")]).toEqual([0, 0]);
  expect(budget.take("a")).toBeGreaterThan(0);
});

test("failures are reported once a minute for each address, with their number", () => {
  const clock = clockAt(0);
  const attempts = new FailedAttempts(clock);
  expect(attempts.note("1.2.3.4")).toEqual({ isNews: true, unreported: 0, waitMs: 0 });
  expect(attempts.note("1.2.3.4").isNews).toBe(false);
  expect(attempts.note("5.6.7.8").isNews).toBe(true);
  clock.time += 60_000;
  expect(attempts.note("1.2.3.4")).toEqual({ isNews: true, unreported: 1, waitMs: 0 });
});

test("an address that fails too often must wait until its minute is over", () => {
  const clock = clockAt(0);
  const attempts = new FailedAttempts(clock);
  const waits = Array.from({ length: 21 }, () => attempts.note("1.2.3.4").waitMs);
  expect(waits).toEqual([...Array<number>(20).fill(0), 60_000]);
  clock.time += 59_000;
  expect(attempts.note("1.2.3.4").waitMs).toBe(1000);
  clock.time += 1000;
  expect(attempts.note("1.2.3.4").waitMs).toBe(0);
});
