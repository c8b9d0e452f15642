// Tests that a table fits every width by dropping its least important columns.

import { expect, test } from "vitest";
import {
  type Column,
  fitColumns,
  rowsAround,
  Table,
} from "../../../source/ui/components/table.tsx";
import { asciiGlyphs } from "../../../source/ui/theme.ts";
import { renderAt } from "../support/render.tsx";

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
    cell: ({ name }) => [
      { text: name.slice(0, 2), tone: "mark" },
      { text: name.slice(2), tone: "plain" },
    ],
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
const plum: Fruit = { name: "plum", count: 1, origin: "-" };

function tableAt(width: number, extra: object = {}) {
  return (
    <Table
      columns={fitColumns(columns, width)}
      items={[apple, plum]}
      keyOf={({ name }) => name}
      {...extra}
    />
  );
}

test.each([
  [30, "NAME                COUNT FROM", "an apple of gold       12 Alma…"],
  [19, "NAME    COUNT FROM", "an ap…     12 Alma…"],
  [14, "NAME     COUNT", "an app…     12"],
  [8, "NAME", "an appl…"],
])("in %i cells", (width, _header, _row) => {
  const [header = "", row = ""] = renderAt(tableAt(width)).lines();
  expect(header.split(/ +/)).toEqual(_header.split(/ +/));
  expect(row.length).toBeLessThanOrEqual(width);
  expect(row.slice(0, 4)).toBe(_row.slice(0, 4));
  expect(row.replaceAll(/ +/g, " ")).toBe(_row.replaceAll(/ +/g, " "));
});

test("the selected row is marked, and others have the same indentation", () => {
  const lines = renderAt(tableAt(30, { isSelected: (item: Fruit) => item === plum })).lines();
  expect(lines.map((line) => line.slice(0, 6))).toEqual(["  NAME", "  an a", "> plum"]);
});

test("without Unicode a cut cell ends in three dots", () => {
  const [, row] = renderAt(tableAt(14), { glyphs: asciiGlyphs }).lines();
  expect(row).toMatch(/^an a\.\.\. /);
});

test("a note replaces the columns that are hidden first", () => {
  const yielding = columns.map((column) => ({ ...column, yieldsToNote: column.title !== "NAME" }));
  const noteOf = ({ name }: Fruit) =>
    name === "plum" ? ({ text: "was eaten by wasps", tone: "error" } as const) : undefined;
  const tree = tableAt(30, { columns: fitColumns(yielding, 30), noteOf });
  const [, apples = "", plums = ""] = renderAt(tree).lines();
  expect(apples).toMatch(/ 12 Alma…$/);
  expect(plums).toMatch(/^plum {14}was eaten b…$/);
});

test("the rows around the selected one include it and fill the height", () => {
  const items = Array.from({ length: 200 }, (_, index) => index);
  for (const selected of items) {
    const shown = rowsAround(items, selected, 7);
    expect(shown).toContain(selected);
    expect(shown).toHaveLength(7);
  }
  expect(rowsAround([1, 2, 3], 0, 7)).toEqual([1, 2, 3]);
});
