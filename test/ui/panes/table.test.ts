// Goal: a table fits its width at any size: it loses its least columns, never a cell of the others.
// Method: columns and items in, rows out.

import { expect, test } from "vitest";
import { plainText, rowWidth } from "../../../source/ui/panes/styled-row.ts";
import { type Column, fitColumns, headerRow, tableRow } from "../../../source/ui/panes/table.ts";
import { unicodeGlyphs } from "../../../source/ui/theme.ts";

interface Fruit {
  readonly name: string;
  readonly count: number;
  readonly origin: string;
}

const columns: readonly Column<Fruit>[] = [
  {
    title: "NAME",
    width: 6,
    isFlexible: true,
    cell: ({ name }) => ({ text: name, tone: "plain" }),
  },
  {
    title: "COUNT",
    width: 6,
    align: "right",
    rank: 1,
    cell: ({ count }) => ({ text: String(count), tone: "value" }),
  },
  { title: "FROM", width: 5, rank: 2, cell: ({ origin }) => ({ text: origin, tone: "dim" }) },
];
const apple: Fruit = { name: "an apple of gold", count: 12, origin: "Almaty" };

test.each([
  [30, "NAME              COUNT FROM", "an apple of gold     12 Alma…"],
  [19, "NAME    COUNT FROM", "an app…     12"],
  [14, "NAME     COUNT", "an appl…    12"],
  [8, "NAME", "an appl…"],
])("in %i cells", (width, header, row) => {
  const fitted = fitColumns(columns, width);
  expect(rowWidth(headerRow(fitted, unicodeGlyphs))).toBeLessThanOrEqual(width);
  const shown = plainText(tableRow(fitted, apple, unicodeGlyphs));
  expect(shown.length).toBe(plainText(headerRow(fitted, unicodeGlyphs)).length);
  expect(plainText(headerRow(fitted, unicodeGlyphs)).trimEnd().split(/ +/)).toEqual(
    header.split(/ +/),
  );
  expect(shown.startsWith(row.slice(0, 5))).toBe(true);
});

test("a selected row is of one tone", () => {
  const row = tableRow(fitColumns(columns, 40), apple, unicodeGlyphs, "selected");
  const tones = new Set(row.filter(({ text }) => text.trim() !== "").map(({ tone }) => tone));
  expect([...tones]).toEqual(["selected"]);
});
