// Tests how a typed range of replicas is read and explained. For the keys see console-screen.test.ts.

import { describe, expect, test } from "vitest";
import { defaultScale } from "../../../../source/cloud/app-config.ts";
import { rangeEffect, readRange } from "../../../../source/ui/screens/console/app-actions.ts";

const scale = { ...defaultScale, minConcurrency: 1, maxConcurrency: 4 };

describe("a typed scale", () => {
  test.each([
    ["0..2", { minConcurrency: 0, maxConcurrency: 2 }],
    [" 1 - 6 ", { minConcurrency: 1, maxConcurrency: 6 }],
    ["2 to 3", { minConcurrency: 2, maxConcurrency: 3 }],
    ["8", { minConcurrency: 1, maxConcurrency: 8 }],
  ])("%j is a valid change", (text, change) => {
    expect(readRange(text, scale)).toEqual(change);
  });

  test.each(["", "many", "-1..2", "1...2", "0..0", "5..2", "1..99999", "0"])(
    "%j is refused",
    (text) => expect(() => readRange(text, scale)).toThrow(/^(Invalid|Maximum|Minimum)/),
  );

  test("reset returns to the script's values", () => {
    expect(readRange(" RESET ", scale)).toBe("reset");
  });

  test("is explained before it is applied", () => {
    expect(rangeEffect({ minConcurrency: 0, maxConcurrency: 2 })).toBe(
      "Scales to zero when idle, up to 2 under load.",
    );
    expect(rangeEffect({ minConcurrency: 2, maxConcurrency: 9 })).toMatch(
      /^Keeps 2 .* 9 under load\.$/,
    );
  });
});
