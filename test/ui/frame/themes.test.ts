// Goal: meaning survives every theme, also without colour.
// Method: the themes' own tables, and rows painted with them.

import { describe, expect, test } from "vitest";
import { RowPainter } from "../../../source/ui/frame/row-painter.ts";
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

test("a row is painted once, and is never without a character", () => {
  const painter = new RowPainter(themes.default);
  expect(painter.paint([])).toBe(" ");
  expect(painter.paint([{ text: "", tone: "error" }])).toBe(" ");
  const row = [
    { text: "plain ", tone: "plain" },
    { text: "bad", tone: "error" },
  ] as const;
  const painted = painter.paint(row);
  expect(painter.paint(row)).toBe(painted);
  // The test runner decides whether there are colours; the words are there in any case.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control sequences
  expect(painted.replaceAll(/\u001b\[[0-9;]*m/g, "")).toBe("plain bad");
});
