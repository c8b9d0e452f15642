// Styled text: the runs of tables, code and Markdown, which `Line` draws.

import { graphemeWidth, splitGraphemes, textWidth, truncateText } from "../../base/graphemes.ts";
import { harmlessLine } from "../../base/harmless-text.ts";
import { type WrapMode, type WrappedRow, wrapLine } from "../../base/wrap-line.ts";
import { glyphs, type Tone } from "../theme.ts";

/** A run of text in one tone, without line breaks. */
export interface TextRun {
  readonly text: string;
  readonly tone: Tone;
  /** `#rrggbb`, for pictures: replaces the tone's colour where the terminal has colours. */
  readonly color?: string;
  readonly backgroundColor?: string;
}

/** Runs side by side on one row. */
export type TextRow = readonly TextRun[];

/** Returns untrusted text, such as a model's name, as a run without control sequences. */
export function harmlessRun(text: string, tone: Tone): TextRun {
  return { text: harmlessRow(text), tone };
}

/** Returns untrusted text on one line, with visible control characters. */
export function harmlessRow(text: string): string {
  return harmlessLine(text).replaceAll(/[\t\n]/g, " ");
}

/** Cuts untrusted text to at most `width` cells. */
export function cutText(text: string, width: number): string {
  return truncateText(harmlessRow(text), width, glyphs.ellipsis);
}

/** Wraps untrusted text, one line, into rows of at most `width` cells. */
export function wrapText(text: string, width: number, mode: WrapMode = "word"): WrappedRow[] {
  return wrapLine(harmlessLine(text.replaceAll("\n", " ")), Math.max(1, width), mode);
}

/** Returns the total width of the runs in cells. */
export function runsWidth(runs: readonly TextRun[]): number {
  return runs.reduce((sum, { text }) => sum + textWidth(text), 0);
}

/** Returns the text of the runs. */
export function runsText(runs: readonly TextRun[]): string {
  return runs.map(({ text }) => text).join("");
}

/** Fits the runs into exactly `width` cells: cut with an ellipsis, or padded with blanks. */
export function fitRuns(runs: TextRow, width: number, ellipsis = glyphs.ellipsis): TextRun[] {
  const used = runsWidth(runs);
  if (used <= width) {
    const missing = width - used;
    return missing === 0 ? [...runs] : [...runs, { text: " ".repeat(missing), tone: "plain" }];
  }
  const mark = ellipsis.slice(0, Math.max(0, width));
  const kept = cutRuns(runs, Math.max(0, width - textWidth(mark)));
  return [...kept, { text: mark, tone: runs.at(-1)?.tone ?? "plain" }];
}

/** Returns the first `width` cells; half of a wide character becomes a blank. */
function cutRuns(runs: readonly TextRun[], width: number): TextRun[] {
  const kept: TextRun[] = [];
  let column = 0;
  for (const run of runs) {
    if (column >= width) break;
    kept.push({ ...run, text: textBetween(run.text, 0, width - column) });
    column += textWidth(run.text);
  }
  return kept;
}

/** Returns the cells from `from` to before `to`; half of a wide character becomes a blank. */
export function textBetween(text: string, from: number, to: number): string {
  let column = 0;
  let result = "";
  for (const grapheme of splitGraphemes(text)) {
    const end = column + graphemeWidth(grapheme, column);
    if (column >= from && end <= to) result += grapheme;
    else if (end > from && column < to) {
      result += " ".repeat(Math.min(end, to) - Math.max(column, from));
    }
    column = end;
  }
  return result;
}

/** Fits untrusted text into exactly `width` cells: cut, or padded at its end. */
export function fitText(text: string, width: number): string {
  return runsText(fitRuns([harmlessRun(text, "plain")], width));
}
