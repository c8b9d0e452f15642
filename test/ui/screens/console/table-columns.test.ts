// Goal: figures that may not be true any more are not shown as if they were.
// Method: the columns' cells with and without their tones.

import { expect, test } from "vitest";
import { appColumns, dimColumns } from "../../../../source/ui/screens/console/table-columns.ts";
import { unicodeGlyphs } from "../../../../source/ui/theme.ts";
import { sampleApp } from "./sample-cloud.ts";
import { cloudState, now } from "./sample-state.ts";

test("the cells of an old table say the same, dim", () => {
  const { figuresOf } = cloudState();
  const columns = appColumns({ glyphs: unicodeGlyphs, organisation: "local", figuresOf, now });
  const cellsOf = (all: typeof columns) => all.flatMap(({ cell }) => cell(sampleApp()));
  const cells = cellsOf(columns);
  const dim = cellsOf(dimColumns(columns));
  expect(dim.map(({ text }) => text)).toEqual(cells.map(({ text }) => text));
  expect(new Set(dim.map(({ tone }) => tone))).toEqual(new Set(["dim"]));
  expect(cells.some(({ tone }) => tone === "good")).toBe(true);
});
