// A limit on bytes per second that several connections share.
import fc from "fast-check";
import { expect, test } from "vitest";
import { RateLimit } from "../../../source/store/hub/download/rate-limit.ts";

test("waiting as told never exceeds the rate by more than the last chunk", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1e8 }),
      fc.array(fc.record({ bytes: fc.nat(1e6), idleMs: fc.nat(1000) })),
      (bytesPerSecond, steps) => {
        let nowMs = 1000;
        const limit = new RateLimit(bytesPerSecond, { now: () => nowMs });
        let total = 0;
        for (const { bytes, idleMs } of steps) {
          total += bytes;
          nowMs += limit.delayAfter(bytes) + idleMs;
          const elapsedMs = nowMs - 1000 + 5; // 5 ms is the shortest wait
          expect(total).toBeLessThanOrEqual((bytesPerSecond * elapsedMs) / 1000 + 1e-3);
        }
      },
    ),
  );
});

test("a slow rate needs few connections", () => {
  expect(new RateLimit(1000).usefulConnections).toBe(1);
  expect(new RateLimit(8 * 1024 ** 2).usefulConnections).toBe(4);
});
