// Tables and sections as the list, ps and show commands print them.
import { toOneLine } from "../base/display-text.ts";
import { cellWidth } from "./cell-width.ts";

const gap = "    ";

/**
 * Left-aligned columns, four blanks apart, under upper-case headers that are there even without
 * rows. Columns are as wide as a terminal shows them.
 *
 * @returns lines, each with its newline and without blanks at its end
 */
export function formatTable(
  headers: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  return formatRows([headers.map((header) => header.toUpperCase()), ...rows], "");
}

/** A titled block of `show`: the title indented by two, rows by four, and an empty line. */
export function formatSection(title: string, rows: readonly (readonly string[])[]): string {
  return `  ${title}\n${formatRows(rows, gap)}\n`;
}

function formatRows(rows: readonly (readonly string[])[], indent: string): string {
  const cells = rows.map((row) => row.map(toOneLine));
  const widths: number[] = [];
  for (const row of cells) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, cellWidth(cell));
    }
  }
  const line = (row: readonly string[]) =>
    row.map((cell, column) => padEnd(cell, widths[column] ?? 0)).join(gap);
  return cells.map((row) => `${(indent + line(row)).trimEnd()}\n`).join("");
}

function padEnd(cell: string, width: number): string {
  return cell + " ".repeat(Math.max(0, width - cellWidth(cell)));
}
