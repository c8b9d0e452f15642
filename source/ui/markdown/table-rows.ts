// Lays out a Markdown table, with columns as wide as needed or as fits.

import type { Tokens } from "marked";
import { fitRuns, runsWidth, type TextRow, type TextRun } from "../text/text-run.ts";
import { inlineLines } from "./inline-runs.ts";
import { joinRuns, wrapRuns } from "./wrap-runs.ts";

const narrowestColumn = 4;

/** Returns undefined if the window is too narrow for the columns. */
export function tableRows(table: Tokens.Table, width: number): TextRow[] | undefined {
  const [separator, line, cross] = [" │ ", "─", "─┼─"];
  const count = table.header.length;
  const room = width - separator.length * (count - 1);
  if (room < count * narrowestColumn) return undefined;
  const head = table.header.map((cell) => lineOf(cell, "strong"));
  const body = table.rows.map((row) => row.map((cell) => lineOf(cell, "plain")));
  const wanted = head.map((cell, column) =>
    Math.max(1, runsWidth(cell), ...body.map((row) => runsWidth(row[column] ?? []))),
  );
  const widths = shareWidth(wanted, room);
  const rule = widths.map((cells) => line.repeat(cells)).join(cross);
  const rows: TextRow[] = layRow(head, widths, table.align, separator);
  rows.push([{ text: rule, tone: "dim" }]);
  for (const row of body) rows.push(...layRow(row, widths, table.align, separator));
  return rows;
}

/** Shrinks wide columns until all fit; narrow ones keep their width. */
function shareWidth(wanted: readonly number[], room: number): number[] {
  const widths = [...wanted];
  let excess = widths.reduce((sum, cells) => sum + cells, 0) - room;
  while (excess > 0) {
    const widest = Math.max(...widths);
    const next = Math.max(narrowestColumn, ...widths.filter((cells) => cells < widest));
    const at = widths.indexOf(widest);
    const cut = Math.min(excess, Math.max(1, widest - next));
    widths[at] = widest - cut;
    excess -= cut;
  }
  return widths;
}

function layRow(
  cells: readonly TextRow[],
  widths: readonly number[],
  align: Tokens.Table["align"],
  separator: string,
): TextRow[] {
  const columns = widths.map((width, column) => wrapRuns(cells[column] ?? [], width));
  const height = Math.max(...columns.map((rows) => rows.length));
  return Array.from({ length: height }, (_, row) => {
    const runs: TextRun[] = [];
    for (const [column, width] of widths.entries()) {
      if (column > 0) runs.push({ text: separator, tone: "dim" });
      runs.push(...aligned(columns[column]?.[row] ?? [], width, align[column] ?? null));
    }
    return joinRuns(runs);
  });
}

function aligned(row: TextRow, width: number, align: Tokens.Table["align"][number]): TextRow {
  const missing = width - runsWidth(row);
  if (missing <= 0 || align === null || align === "left") return fitRuns(row, width, "");
  const before = align === "right" ? missing : Math.floor(missing / 2);
  return fitRuns([{ text: " ".repeat(before), tone: "plain" }, ...row], width, "");
}

function lineOf(cell: Tokens.TableCell, tone: "strong" | "plain"): TextRun[] {
  const lines = inlineLines(cell.tokens, tone);
  return lines.flatMap((line, index) =>
    index === 0 ? line : [{ text: " ", tone: "plain" as const }, ...line],
  );
}
