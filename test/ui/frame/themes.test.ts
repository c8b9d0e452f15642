// Goal: meaning survives every theme, also without colour.
// Method: the themes' own tables, and rows painted with them.

import { describe, expect, test } from "vitest";
import { paintableRow, RowPainter } from "../../../source/ui/frame/row-painter.ts";
import { themeNames, themes } from "../../../source/ui/frame/themes.ts";

describe.each(themeNames)("the theme %s", (name) => {
  const theme = themes[name];

  test("tells what matters from plain text", () => {
    const plain = JSON.stringify(theme.plain);
    for (const tone of ["error", "warning", "title", "selected", "tab", "focus", "key"] as const) {
      expect(JSON.stringify(theme[tone])).not.toBe(plain);
    }
    expect(theme.selected).not.toEqual(theme.error);
  });

  test("knows every tone that the default theme knows", () => {
    expect(Object.keys(theme).sort()).toEqual(Object.keys(themes.default).sort());
  });
});

test("mono has no colour, high contrast nothing dim", () => {
  expect(Object.values(themes.mono).filter(({ color }) => color !== undefined)).toEqual([]);
  expect(Object.values(themes["high-contrast"]).filter(({ dim }) => dim === true)).toEqual([]);
});

test("a row is painted within its width, without what a terminal would obey", () => {
  const painter = new RowPainter(themes.default);
  // The test runner decides whether there are colours; the words are there in any case.
  const wordsOf = (row: Parameters<typeof painter.paint>[0], width: number) =>
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control sequences
    painter.paint(paintableRow(row, width)).replaceAll(/\u001b\[[0-9;]*m/g, "");
  const row = [
    { text: "plain ", tone: "plain" },
    { text: "b\u001b]0;a\u0007d", tone: "error" },
    { text: "!", tone: "error" },
  ] as const;
  expect(wordsOf(row, 20)).toBe("plain b]0;ad!");
  expect(wordsOf(row, 8)).toBe("plain b]");
  expect(wordsOf([], 20)).toBe("");
});
