// Bad keys make their sender wait: a minute, then two, then four; a pause resets it.
import { beforeEach, expect, it } from "vitest";
import { FailedAttempts } from "../../source/keys/failed-attempts.ts";

let now = 0;
let attempts: FailedAttempts;
beforeEach(() => {
  now = 0;
  attempts = new FailedAttempts({ now: () => now, wallMs: () => now });
});

/** Fails so often; what the last attempt was told to wait, in seconds. */
function fail(times: number): number {
  let waitMs = 0;
  for (let time = 0; time < times; time += 1) ({ waitMs } = attempts.note("192.0.2.1"));
  return waitMs / 1000;
}

it("allows twenty failed attempts a minute without delay", () => {
  expect(fail(20)).toBe(0);
  expect(fail(1)).toBe(60);
  expect(attempts.note("192.0.2.2").waitMs).toBe(0);
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
