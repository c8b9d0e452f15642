// The visible part of a text, and suggestions for mistyped names.
import { describe, expect, test } from "vitest";
import { quoteShort, trimInvisible } from "../../source/base/display-text.ts";
import { nearestName } from "../../source/base/nearest-name.ts";

describe("a trimmed text", () => {
  test.each([
    ["\u00a0a b\u200b\n", "a b"],
    ["\ufeff\u3000", ""],
    ["", ""],
    ["👩‍👩‍👧", "👩‍👩‍👧"],
    ["\u0000x", "x"],
  ])("of %j is %j", (text, expected) => {
    expect(trimInvisible(text)).toBe(expected);
  });
});

describe("a quoted text", () => {
  test.each([
    ["plain", '"plain"'],
    ['a "b"\n', '"a \\"b\\"\\n"'],
    ["\u001b[31m\u009b\u202e", '"\\u001b[31m\\u{9b}\\u{202e}"'],
    ["x".repeat(41), `"${"x".repeat(40)}…"`],
    ["😀".repeat(41), `"${"😀".repeat(40)}…"`],
    ["😀".repeat(40), `"${"😀".repeat(40)}"`],
  ])("of %j is %s", (text, expected) => {
    expect(quoteShort(text)).toBe(expected);
  });
});

describe("the nearest name", () => {
  const names = ["FROM", "PARAMETER", "PARSER", "SYSTEM", "TEMPLATE"];
  test.each([
    ["FORM", "FROM"],
    ["form", "FROM"],
    ["FRO", "FROM"],
    ["PARAMETRE", "PARAMETER"],
    ["PARAMETERS", "PARAMETER"],
    ["SYTEM", "SYSTEM"],
    ["TEMPLAET", "TEMPLATE"],
    ["system", "SYSTEM"],
    ["x", undefined],
    ["", undefined],
    ["HELLO", undefined],
    ["RUN", undefined],
    ["x".repeat(100_000), undefined],
  ])("of %s is %s", (typed, expected) => {
    expect(nearestName(typed, names)).toBe(expected);
  });
});
