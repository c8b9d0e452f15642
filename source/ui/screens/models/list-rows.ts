// The list of models as rows: headings, one row for each model in sight, and what stands there when
// there is none.

import type { Span, StyledRow } from "../../frame/screen.ts";
import { fitRow, foreignSpan, textRow } from "../../panes/styled-row.ts";
import { splitGraphemes } from "../../text/graphemes.ts";
import { wrapLine } from "../../text/wrap-line.ts";
import type { Glyphs, Tone } from "../../theme.ts";
import { columnsOf } from "./list-columns.ts";
import { type FoundEntry, selectedIndex } from "./model-entries.ts";
import { formatSpan } from "./model-figures.ts";
import { shortName } from "./model-name.ts";
import type { ModelsState, Reading } from "./models-state.ts";
import { fitLegend } from "./state-cells.ts";

export interface ListLook {
  readonly width: number;
  readonly height: number;
  readonly glyphs: Glyphs;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/** Nobody is told that he waits before he notices it himself. */
const skeletonAfterMs = 150;
/** Older figures are shown with their age. */
export const staleAfterMs = 10_000;
const markerWidth = 2;
const gap = 1;

/** At most `height` rows. */
export function listRows(
  state: ModelsState,
  entries: readonly FoundEntry[],
  look: ListLook,
): readonly StyledRow[] {
  const reading = state[state.source];
  const problem = problemRows(state, look);
  const room = look.height - problem.length;
  if (entries.length === 0) return [...problem, ...absentRows(state, look)].slice(0, look.height);
  const isStale = ageOf(reading, look.nowMs) !== undefined;
  const heading = headingRow(state, look);
  const legend: StyledRow[] =
    state.source === "local" && room > 8 ? [[], textRow(fitLegend(look.glyphs), "dim")] : [];
  const height = Math.max(1, room - 1 - legend.length);
  const selected = selectedIndex(state, entries);
  const top = topOf(selected, entries.length, height);
  const rows = entries
    .slice(top, top + height)
    .map((found, at) => entryRow(state, found, top + at === selected, isStale, look));
  return [...problem, heading, ...rows, ...legend];
}

/** The selection stays in the middle third where the list is longer than its place. */
export function topOf(selected: number, count: number, height: number): number {
  return Math.min(Math.max(0, count - height), Math.max(0, selected - Math.floor(height / 2)));
}

/** How old figures are that should be newer; undefined for fresh ones. */
export function ageOf(reading: Reading<unknown>, nowMs: number): number | undefined {
  if (reading.readAtMs === undefined || reading.error === undefined) return undefined;
  const ageMs = nowMs - reading.readAtMs;
  return ageMs > staleAfterMs ? ageMs : undefined;
}

function headingRow({ source }: ModelsState, look: ListLook): StyledRow {
  const columns = columnsOf(source, look.width);
  const name: Span = { text: `${" ".repeat(markerWidth)}NAME`, tone: "dim" };
  const cells = columns.map(({ title, ...column }) => ({ ...column, span: span(title, "dim") }));
  return tableRow([name], cells, look);
}

function entryRow(
  state: ModelsState,
  { entry, matches }: FoundEntry,
  isSelected: boolean,
  isStale: boolean,
  look: ListLook,
): StyledRow {
  const { glyphs } = look;
  const columns = columnsOf(state.source, look.width);
  const isFocused = isSelected && state.pane === "list";
  const base: Tone = isStale ? "dim" : isSelected ? "selected" : "plain";
  const marker = span(isSelected ? `${glyphs.prompt} ` : "  ", isFocused ? "focus" : base);
  const width = nameWidth(columns, look.width) - markerWidth;
  const shown = shortName(entry.name, width, glyphs.ellipsis);
  // The filter's letters are only marked in a name that is shown from its beginning.
  const isWhole = entry.name.startsWith(shown);
  const name = isWhole && !isStale ? markedSpans(shown, matches, base) : [span(shown, base)];
  const cells = columns.map((column) => {
    const { text, tone } = column.cell(entry, look);
    const shownTone = isStale ? "dim" : isSelected && tone === "plain" ? base : tone;
    return { width: column.width, isRight: column.isRight, span: span(text, shownTone) };
  });
  const spans = name.map(({ text, tone }) => foreignSpan(text, tone, glyphs.isAscii));
  return tableRow([marker, ...spans], cells, look);
}

interface TableCell {
  readonly width: number;
  readonly isRight: boolean;
  readonly span: Span;
}

function nameWidth(columns: readonly { width: number }[], width: number): number {
  return width - columns.reduce((sum, column) => sum + column.width + gap, 0);
}

function tableRow(name: StyledRow, cells: readonly TableCell[], look: ListLook): StyledRow {
  const { ellipsis } = look.glyphs;
  const parts = cells.flatMap(({ width, isRight, span: { text, tone } }) => {
    const aligned = isRight ? text.padStart(width) : text;
    const cell = fitRow([{ text: aligned, tone }], width, ellipsis);
    return [span(" ".repeat(gap), "plain"), ...cell];
  });
  return [...fitRow(name, Math.max(0, nameWidth(cells, look.width)), ellipsis), ...parts];
}

/** The name with the filter's letters in another tone. */
function markedSpans(name: string, matches: readonly number[], tone: Tone): Span[] {
  if (matches.length === 0) return [span(name, tone)];
  const marked = new Set(matches);
  const spans: Span[] = [];
  let offset = 0;
  for (const grapheme of splitGraphemes(name)) {
    const own: Tone = marked.has(offset) ? "mark" : tone;
    const last = spans.at(-1);
    if (last?.tone === own) spans[spans.length - 1] = span(last.text + grapheme, own);
    else spans.push(span(grapheme, own));
    offset += grapheme.length;
  }
  return spans;
}

/** What failed, over the list that still works. */
function problemRows(state: ModelsState, { width, glyphs, nowMs }: ListLook): StyledRow[] {
  const reading = state[state.source];
  if (reading.error === undefined) return [];
  const ageMs = ageOf(reading, nowMs);
  const age = ageMs === undefined ? "" : ` ${glyphs.separator} ${formatSpan(ageMs)} ago`;
  const sentence = `${glyphs.failed} ${reading.error}${age} ${glyphs.separator} r retry`;
  return wrapLine(sentence, width).map(({ text }) => [foreignSpan(text, "error", glyphs.isAscii)]);
}

/** Instead of entries: what is being waited for, or what to do. */
function absentRows(state: ModelsState, look: ListLook): StyledRow[] {
  const reading = state[state.source];
  const { waitingSinceMs } = reading;
  if (waitingSinceMs !== undefined && reading.value === undefined) {
    if (look.nowMs - waitingSinceMs < skeletonAfterMs) return [];
    return skeletonRows(waitingWords[state.source], look);
  }
  if (reading.error !== undefined && reading.value === undefined) return [];
  const filter = state.lists[state.source].filter.text.trim();
  const sentence =
    filter === "" ? emptySentences[state.source] : `Nothing matches '${filter}'. Esc clears.`;
  const rows = wrapLine(sentence, look.width);
  return [[], ...rows.map(({ text }) => [foreignSpan(text, "plain", look.glyphs.isAscii)])];
}

const waitingWords = {
  local: "reading manifests",
  hub: "asking the hub",
  running: "asking what is loaded",
} as const;

const emptySentences = {
  local: "No models on this machine. ] searches the hub, p pulls by name.",
  hub: "Type / and some words to search the hub; p pulls by name.",
  running: "Nothing is loaded. [ goes to the models, l loads one.",
} as const;

const skeletonWidths = [18, 24, 14, 20];

function skeletonRows(words: string, { width, glyphs }: ListLook): StyledRow[] {
  const dash = glyphs.isAscii ? "-" : "─";
  const bars = skeletonWidths.map((length) =>
    textRow(`  ${dash.repeat(Math.min(length, Math.max(0, width - 2)))}`, "dim"),
  );
  return [textRow(`${glyphs.working} ${words}${glyphs.ellipsis}`, "dim"), ...bars];
}

function span(text: string, tone: Tone): Span {
  return { text, tone };
}
