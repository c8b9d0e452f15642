// Breaks a line of runs into rows, as `wrapLine` breaks a text.

import { type WrapMode, wrapLine } from "../../base/wrap-line.ts";
import { runsText, type TextRow, type TextRun } from "../text/text-run.ts";

/** Returns at least one row. @param runs without line breaks and tabs */
export function wrapRuns(runs: TextRow, width: number, mode: WrapMode = "word"): TextRow[] {
  const rows: TextRow[] = [];
  let index = 0;
  /** Offset of the run at `index` in the whole text. */
  let offset = 0;
  for (const row of wrapLine(runsText(runs), width, mode)) {
    const end = row.start + row.text.length;
    const pieces: TextRun[] = [];
    for (let at = index, from = offset; at < runs.length && from < end; at += 1) {
      const run = runs[at];
      if (run === undefined) break;
      const piece = run.text.slice(Math.max(0, row.start - from), end - from);
      if (piece !== "") pieces.push({ ...run, text: piece });
      from += run.text.length;
      if (from <= row.end) {
        index = at + 1;
        offset = from;
      }
    }
    rows.push(pieces);
  }
  return rows;
}

/** Splits runs at line breaks, and joins neighbours of the same style. */
export function linesOf(runs: Iterable<TextRun>): TextRun[][] {
  const lines: TextRun[][] = [[]];
  for (const run of runs) {
    for (const [index, text] of run.text.split("\n").entries()) {
      if (index > 0) lines.push([]);
      lines.at(-1)?.push({ ...run, text });
    }
  }
  return lines.map(joinRuns);
}

/** Joins neighbours of the same style, and drops empty runs. */
export function joinRuns(runs: TextRow): TextRun[] {
  const joined: TextRun[] = [];
  for (const run of runs) {
    const last = joined.at(-1);
    if (run.text === "") continue;
    if (
      last !== undefined &&
      last.tone === run.tone &&
      last.color === run.color &&
      last.backgroundColor === run.backgroundColor
    ) {
      joined[joined.length - 1] = { ...last, text: last.text + run.text };
    } else joined.push(run);
  }
  return joined;
}
