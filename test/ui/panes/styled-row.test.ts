// Goal: rows are cut, filled and laid over one another by the cell, whatever characters they hold.
// Method: rows in, rows out; widths are counted.

import { describe, expect, test } from "vitest";
import { drawBox } from "../../../source/ui/panes/box.ts";
import {
  clipRow,
  cutRow,
  fitRow,
  overlayRow,
  plainText,
  rowWidth,
  textRow,
} from "../../../source/ui/panes/styled-row.ts";
import { asciiGlyphs, unicodeGlyphs } from "../../../source/ui/theme.ts";

const wide = [
  { text: "ab漢", tone: "title" },
  { text: "字cd", tone: "dim" },
] as const;

describe("a part of a row", () => {
  test.each([
    [0, 8, "ab漢字cd"],
    [0, 3, "ab "],
    [3, 8, " 字cd"],
    [2, 4, "漢"],
    [5, 7, " c"],
    [8, 9, ""],
  ])("from cell %i to %i", (from, to, expected) => {
    const part = cutRow(wide, from, to);
    expect(plainText(part)).toBe(expected);
    expect(part.every(({ tone }) => tone === "title" || tone === "dim")).toBe(true);
  });
});

describe("a row that must fit", () => {
  test("is filled up with blanks, or cut with a mark", () => {
    expect(plainText(fitRow(wide, 10, "…"))).toBe("ab漢字cd  ");
    expect(plainText(fitRow(wide, 8, "…"))).toBe("ab漢字cd");
    expect(plainText(fitRow(wide, 6, "…"))).toBe("ab漢 …");
    expect(plainText(fitRow(wide, 1, "..."))).toBe(".");
    expect(plainText(fitRow(wide, 0, "…"))).toBe("");
  });

  test.each(Array.from({ length: 12 }, (_, width) => width))("has exactly %i cells", (width) => {
    expect(rowWidth(fitRow(wide, width, "…"))).toBe(width);
    expect(rowWidth(clipRow(wide, width, "…"))).toBeLessThanOrEqual(width);
  });
});

test("a row over another one hides just what is below it", () => {
  const over = overlayRow(wide, textRow("XY"), 3, 10, "…");
  expect(plainText(over)).toBe("ab XY cd  ");
  expect(plainText(overlayRow([], textRow("XY"), 3, 7, "…"))).toBe("   XY  ");
});

describe("a box", () => {
  const options = { width: 14, height: 4, glyphs: unicodeGlyphs, title: "Title", footer: "1 of 2" };

  test("holds its content, its title and its footer", () => {
    const content = [textRow("one"), textRow("a longer row"), textRow("three")];
    expect(drawBox(content, options).map(plainText)).toEqual([
      "╭─ Title ────╮",
      "│ one        │",
      "│ a longer … │",
      "╰─── 1 of 2 ─╯",
    ]);
  });

  test("has exactly its size for every content and title", () => {
    for (const title of ["", "T", "A title that is much too long"]) {
      for (const width of [4, 7, 30]) {
        const rows = drawBox([wide], { ...options, title, footer: title, width, height: 5 });
        expect(rows).toHaveLength(5);
        expect(rows.map(rowWidth)).toEqual(Array(5).fill(width));
      }
    }
  });

  test("is plain ASCII where nothing else can be drawn", () => {
    const rows = drawBox([textRow("x")], { ...options, glyphs: asciiGlyphs });
    expect(rows.map(plainText)).toEqual([
      "+- Title ----+",
      "| x          |",
      "|            |",
      "+--- 1 of 2 -+",
    ]);
  });
});
