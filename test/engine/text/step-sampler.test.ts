// Tests when a grammar counts as too slow. Sampling itself is tested with a model in generation.test.ts.
import { expect, it } from "vitest";
import { grammarExcess, grammarLimitMs } from "../../../source/engine/text/step-sampler.ts";

/** Returns the position of the token at which a grammar is too slow. */
function tooSlowAt(times: readonly number[]): number {
  let excess = 0;
  return times.findIndex((tookMs) => {
    excess = grammarExcess(excess, tookMs);
    return excess > grammarLimitMs.excess;
  });
}

const times = (count: number, tookMs: number) => Array.from({ length: count }, () => tookMs);

it.each<[about: string, times: number[], at: number]>([
  ["never, if each token stays within its time", times(10_000, 100), -1],
  ["at the first token that takes longer than everything allowed", [5, 1200], 1],
  ["after ten tokens of twice the time", times(20, 201), 9],
  ["as soon after a thousand fast tokens as at the start", [...times(1000, 1), 1200], 1000],
  [
    "never, if slow tokens are rare",
    times(100, 50).flatMap((fast) => [400, ...times(8, fast)]),
    -1,
  ],
  ["at last, if tokens get slower one by one", times(100, 1).map((_, n) => n * 10), 24],
])("a grammar is too slow %s", (_, measured, at) => {
  expect(tooSlowAt(measured)).toBe(at);
});
