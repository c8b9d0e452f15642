// Rate limits of a key, and of failed attempts: bad keys make their sender wait ever longer.
import { beforeEach, expect, it, test } from "vitest";
import { FailedAttempts, RequestBudget } from "../../source/api-keys/limits.ts";

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

let now = 0;
let attempts: FailedAttempts;
beforeEach(() => {
  now = 0;
  attempts = new FailedAttempts({ now: () => now, wallMs: () => now });
});

/** Fails this often. @returns the wait after the last attempt, in seconds */
function fail(times: number): number {
  let waitMs = 0;
  for (let time = 0; time < times; time += 1) ({ waitMs } = attempts.note("192.0.2.1"));
  return waitMs / 1000;
}

it("allows twenty failed attempts a minute without delay, and more when it is over", () => {
  expect(fail(20)).toBe(0);
  expect(fail(1)).toBe(60);
  expect(attempts.note("192.0.2.2").waitMs).toBe(0);
  now += 59_000;
  expect(fail(1)).toBe(1);
  now += 1000;
  expect(fail(1)).toBe(0);
});

it("doubles the wait of a persistent client, up to an hour", () => {
  const waits = Array.from({ length: 8 }, () => {
    const wait = fail(21);
    now += wait * 1000;
    return wait;
  });
  expect(waits).toEqual([60, 120, 240, 480, 960, 1920, 3600, 3600]);
});

it("forgets a client that has stopped for as long", () => {
  expect(fail(21)).toBe(60);
  now += 60_000;
  expect(fail(21)).toBe(120);
  now += 240_000;
  expect(fail(21)).toBe(60);
});
