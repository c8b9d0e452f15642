// Formats tables, sections and labelled lines.
import { toOneLine } from "../base/display-text.ts";
import { cellWidth } from "./text-width.ts";

const gap = "    ";

/**
 * Formats left-aligned columns, four blanks apart, under upper-case headers, also without rows.
 *
 * @returns lines with newlines, without trailing blanks
 */
export function formatTable(
  headers: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  return formatRows([headers.map((header) => header.toUpperCase()), ...rows], "");
}

/** Formats a section of `show`: an indented title, rows and an empty line. */
export function formatSection(title: string, rows: readonly (readonly string[])[]): string {
  return `  ${title}\n${formatRows(rows, gap)}\n`;
}

/** Formats a line for each pair of a label and a text; labels are padded to a width. */
export function formatLabels(
  rows: readonly (readonly [label: string, text: string])[],
  width: number,
  indent = "",
): string {
  return rows.map(([label, text]) => `${indent}${label.padEnd(width)}${text}\n`).join("");
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
