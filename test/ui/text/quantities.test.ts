// Goal: figures of panes keep their unit and tell high from low without colour.
// Method: values in, text out.

import { describe, expect, test } from "vitest";
import { bar, slotSquares } from "../../../source/ui/panes/bar.ts";
import { sparkline } from "../../../source/ui/panes/sparkline.ts";
import { plainText } from "../../../source/ui/panes/styled-row.ts";
import {
  binarySize,
  percentage,
  rate,
  span,
  tokenCount,
  usedOfTotal,
} from "../../../source/ui/text/quantities.ts";
import { asciiGlyphs, unicodeGlyphs } from "../../../source/ui/theme.ts";

test.each([
  [usedOfTotal(6.9 * 2 ** 30, 12 * 2 ** 30), "6.9/12.0 GiB"],
  [usedOfTotal(0, 512), "0/512 B"],
  [usedOfTotal(300 * 2 ** 20, 0), "300.0/0.0 MiB"],
  [binarySize(32 * 2 ** 20), "32.0 MiB"],
  [binarySize(2 ** 41), "2.0 TiB"],
  [tokenCount(526), "526"],
  [tokenCount(4800), "4.8k"],
  [tokenCount(32_768), "33k"],
  [rate(0), "0.0"],
  [rate(61.23), "61.2"],
  [rate(1204.4), "1204"],
  [percentage(0.618), "62%"],
  [span(-5), "0 s"],
  [span(45_000), "45 s"],
  [span(252_000), "4 m 12 s"],
  [span(8_040_000), "2 h 14 m"],
])("%s", (text, expected) => {
  expect(text).toBe(expected);
});

describe("a bar", () => {
  test.each([
    [0, "░░░░░░░░░░"],
    [0.55, "██████░░░░"],
    [0.8, "▓▓▓▓▓▓▓▓░░"],
    [0.96, "!!!!!!!!!!"],
    [7, "!!!!!!!!!!"],
    [Number.NaN, "░░░░░░░░░░"],
  ])("of %d changes its glyph as it fills", (share, expected) => {
    expect(plainText(bar(share, 10, unicodeGlyphs))).toBe(expected);
  });
});

describe("a sparkline", () => {
  test("is as wide as asked, the newest value at the right, the largest at the top", () => {
    expect(sparkline([1, 2, 4, 8], 6, unicodeGlyphs)).toBe("  ▂▃▅█");
    expect(sparkline([9, 9, 0, 4, 8], 3, unicodeGlyphs)).toBe("▁▅█");
    expect(sparkline([], 3, unicodeGlyphs)).toBe("   ");
  });

  test("of nearly nothing is flat where the scale has a floor", () => {
    expect(sparkline([0, 0.01, 0.02], 3, unicodeGlyphs, 1)).toBe("▁▁▁");
    expect(sparkline([0, 0, 0], 3, asciiGlyphs)).toBe("...");
  });
});

test("slots are squares as long as they can be counted", () => {
  expect(slotSquares(2, 4, 8, unicodeGlyphs)).toBe("■■□□");
  expect(slotSquares(9, 4, 8, unicodeGlyphs)).toBe("■■■■");
  expect(slotSquares(9, 64, 8, unicodeGlyphs)).toBe("");
});
