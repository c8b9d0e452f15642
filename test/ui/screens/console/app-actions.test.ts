// Goal: a typed range of replicas means what a person expects, and is explained before it is set.
// Method: the pure parts alone; the keys are in console-screen.test.ts.

import { describe, expect, test } from "vitest";
import { defaultScale } from "../../../../source/cloud/app-config.ts";
import { rangeEffect, readRange } from "../../../../source/ui/screens/console/app-actions.ts";

const scale = { ...defaultScale, minConcurrency: 1, maxConcurrency: 4 };

describe("a typed range", () => {
  test.each([
    ["0..2", { minConcurrency: 0, maxConcurrency: 2 }],
    [" 1 - 6 ", { minConcurrency: 1, maxConcurrency: 6 }],
    ["2 to 3", { minConcurrency: 2, maxConcurrency: 3 }],
    ["8", { minConcurrency: 1, maxConcurrency: 8 }],
  ])("%j is a change", (text, change) => {
    expect(readRange(text, scale)).toEqual({ kind: "range", change });
  });

  test.each(["", "many", "-1..2", "1...2", "0..0", "5..2", "1..99999", "0"])(
    "%j is told to be wrong",
    (text) => expect(readRange(text, scale)).toMatchObject({ kind: "wrong" }),
  );

  test("reset goes back to the script's", () => {
    expect(readRange(" RESET ", scale)).toEqual({ kind: "reset" });
  });

  test("is told what it means before it is set", () => {
    expect(rangeEffect({ minConcurrency: 0, maxConcurrency: 2 })).toBe(
      "Scales to zero when idle, up to 2 under load.",
    );
    expect(rangeEffect({ minConcurrency: 2, maxConcurrency: 9 })).toMatch(
      /^Keeps 2 .* 9 under load\.$/,
    );
  });
});
