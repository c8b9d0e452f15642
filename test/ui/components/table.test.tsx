// Tests that a table fits every width by dropping its least important columns.

import { expect, test } from "vitest";
import {
  type Column,
  figureColumn,
  rowsAround,
  spokenRow,
  Table,
} from "../../../source/ui/components/table.tsx";
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
      columns={columns}
      items={[apple, plum]}
      keyOf={({ name }) => name}
      selected={-1}
      width={width}
      height={9}
      {...extra}
    />
  );
}

test.each([
  [32, "  NAME               COUNT FROM", "  an apple of gold      12 Alma…"],
  [21, "  NAME    COUNT FROM", "  an ap…     12 Alma…"],
  [16, "  NAME     COUNT", "  an app…     12"],
  [10, "  NAME", "  an appl…"],
  [7, "  NAME", "  an a…"],
])("in %i cells", (width, wantedHeader, wantedRow) => {
  const [header = "", row = ""] = renderAt(tableAt(width)).lines();
  expect(row.length).toBeLessThanOrEqual(width);
  expect([header, row]).toEqual([wantedHeader, wantedRow]);
});

test("columns of rank 0 stay however narrow the table is", () => {
  const firm = columns.map((column) => ({ ...column, rank: 0 }));
  const [header = ""] = renderAt(tableAt(17, { columns: firm })).lines();
  expect(header.split(/ +/)).toEqual(["", "N…", "COUNT", "FROM"]);
});

test("the selected row is marked, and others have the same indentation", () => {
  const lines = renderAt(tableAt(32, { selected: 1 })).lines();
  expect(lines.map((line) => line.slice(0, 6))).toEqual(["  NAME", "  an a", "> plum"]);
});

test("without Unicode a cut cell ends in a tilde", () => {
  const [, row] = renderAt(tableAt(16), { isAscii: true }).lines();
  expect(row).toMatch(/^ {2}an app~ /);
});

test("a note replaces the columns that are hidden first", () => {
  const yielding = columns.map((column) => ({ ...column, yieldsToNote: column.title !== "NAME" }));
  const noteOf = ({ name }: Fruit) =>
    name === "plum" ? ({ text: "was eaten by wasps", tone: "error" } as const) : undefined;
  const tree = tableAt(32, { columns: yielding, noteOf });
  const [, apples = "", plums = ""] = renderAt(tree).lines();
  expect(apples).toMatch(/ 12 Alma…$/);
  expect(plums).toMatch(/^ {2}plum {14}was eaten b…$/);
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

test("a row is read in the words of its columns, without columns that have none", () => {
  const spoken: readonly Column<Fruit>[] = [
    ...columns.slice(0, 1),
    figureColumn(
      ["COUNT", 6, 1],
      String,
      ({ count }: Fruit) => count,
      (text) => `${text} of them`,
    ),
    {
      title: "FROM",
      width: 5,
      cell: ({ origin }) => ({ text: origin, tone: "dim" }),
      spoken: (text) => text && `from ${text}`,
    },
  ];
  expect(spokenRow(spoken, apple)).toBe("12 of them, from Almaty");
  expect(spokenRow(spoken, plum)).toBe("1 of them");
});
