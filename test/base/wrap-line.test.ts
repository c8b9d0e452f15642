// Tests that rows fit their width and that no character is lost or split.

import { describe, expect, test } from "vitest";
import { textWidth, truncateText } from "../../source/base/graphemes.ts";
import { wrapLine } from "../../source/base/wrap-line.ts";

function texts(line: string, width: number, mode?: "word" | "hard"): string[] {
  return wrapLine(line, width, mode).map(({ text }) => text);
}

describe("wrapping", () => {
  test("breaks after blanks, which hang over the edge", () => {
    expect(texts("the quick brown fox", 9)).toEqual(["the quick", "brown fox"]);
    expect(texts("the quick   brown", 9)).toEqual(["the quick", "brown"]);
  });

  test("breaks a word longer than the row", () => {
    expect(texts("see abcdefghijkl", 5)).toEqual(["see ", "abcde", "fghij", "kl"]);
  });

  test("keeps indentation with its word", () => {
    expect(texts("    abcdefgh", 8)).toEqual(["    abcd", "efgh"]);
  });

  test("breaks between wide characters, never inside one", () => {
    expect(texts("漢字漢字漢", 5)).toEqual(["漢字", "漢字", "漢"]);
    expect(texts("ab漢字", 3)).toEqual(["ab", "漢", "字"]);
  });

  test("never breaks inside an emoji of several code points", () => {
    expect(texts("👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧", 4)).toEqual(["👩‍👩‍👧👩‍👩‍👧", "👩‍👩‍👧"]);
  });

  test("expands tabs to the next stop of four cells", () => {
    expect(texts("a\tb\tc", 20)).toEqual(["a   b   c"]);
  });

  test("in hard mode fills every row", () => {
    expect(texts("if (a) return b;", 6, "hard")).toEqual(["if (a)", " retur", "n b;"]);
  });

  test("gives an empty line one row, and a character that is too wide its own row", () => {
    expect(texts("", 10)).toEqual([""]);
    expect(texts("漢字", 1)).toEqual(["漢", "字"]);
  });

  test.each([1, 2, 3, 7, 20])("at width %i covers the line without gaps", (width) => {
    const line = "  Ein  längerer\tSatz, 漢字 und 👍🏽 e\u0301 zum Schluß ";
    const rows = wrapLine(line, width);
    expect(rows[0]?.start).toBe(0);
    expect(rows.at(-1)?.end).toBe(line.length);
    for (const [index, row] of rows.entries()) {
      expect(row.start).toBe(index === 0 ? 0 : rows[index - 1]?.end);
      expect(textWidth(row.text)).toBeLessThanOrEqual(Math.max(2, width));
    }
  });
});

test("a text that is cut says so and fits", () => {
  expect(truncateText("abcdef", 6, "…")).toBe("abcdef");
  expect(truncateText("abcdefg", 6, "…")).toBe("abcde…");
  expect(truncateText("漢字漢字", 6, "…")).toBe("漢字…");
  expect(truncateText("abcdefg", 2, "...")).toBe("..");
});
