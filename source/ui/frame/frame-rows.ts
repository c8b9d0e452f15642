// The whole window as rows: tabs, the screen's body with what lies over it, hints.

import { overlayRow, rowWidth, textRow } from "../panes/styled-row.ts";
import { textWidth, truncateText } from "../text/graphemes.ts";
import { neutraliseLine } from "../text/neutralise.ts";
import { wrapLine } from "../text/wrap-line.ts";
import { type Glyphs, withGlyphs } from "../theme.ts";
import { hintRow } from "./command-lists.ts";
import type { Frame } from "./frame.ts";
import type { Screen, ScreenPicture, Span, StyledRow } from "./screen.ts";
import { tabs } from "./tabs.ts";
import {
  bodySize,
  columnsMinimum,
  hintRows,
  isTooSmall,
  rowsMinimum,
  tabRows,
  type WindowSize,
} from "./window-size.ts";

const noticeRowsMaximum = 3;
const margin = 1;

/** Exactly as many rows as the window has; the cursor is counted from its top left. */
export function framePicture(frame: Frame, size: WindowSize): ScreenPicture {
  if (isTooSmall(size)) return { rows: tooSmallCard(frame, size) };
  const body = bodySize(size);
  const starting = textRow(` ${frame.glyphs.working} starting`, "dim");
  const picture = frame.current?.picture(body) ?? { rows: frame.isStarting ? [[], starting] : [] };
  const rows = Array.from({ length: body.rows }, (_, index) => picture.rows[index] ?? []);
  const { overlay, glyphs } = frame;
  let { cursor } = picture;
  if (overlay !== undefined) {
    const over = overlay.picture(body);
    cursor = over.cursor;
    for (const [index, row] of over.rows.entries()) {
      const at = over.y + index;
      rows[at] = overlayRow(rows[at] ?? [], row, over.x, size.columns, glyphs.ellipsis);
    }
  }
  // A long notice lies over the last rows of the screen: it must be read whole.
  const last = lastRows(frame, size);
  rows.splice(rows.length - (last.length - hintRows), last.length - hintRows);
  return {
    rows: [tabRow(frame, size.columns), ...rows, ...last],
    ...(cursor !== undefined && { cursor: { x: cursor.x, y: cursor.y + tabRows } }),
  };
}

function lastRows(frame: Frame, { columns }: WindowSize): StyledRow[] {
  const { notice, glyphs } = frame;
  const room = columns - 2 * margin;
  const blank: Span = { text: " ", tone: "plain" };
  if (notice === undefined) return [[blank, ...hintRow(frame.hints, room)]];
  const text = neutraliseLine(notice, glyphs.isAscii);
  const rows = wrapLine(text.replaceAll("\n", " "), room).slice(0, noticeRowsMaximum);
  return rows.map((row) => [blank, { text: row.text.padEnd(room), tone: "mark" }, blank]);
}

function tabRow(frame: Frame, columns: number): StyledRow {
  const named = tabSpans(frame, true);
  const spans = rowWidth(named) <= columns ? named : tabSpans(frame, false);
  const used = rowWidth(spans);
  const room = Math.max(0, columns - used - 2 - margin);
  const status = statusText(frame, room);
  const gap = columns - used - textWidth(status) - margin;
  return [
    ...spans,
    { text: " ".repeat(Math.max(0, gap)), tone: "plain" },
    { text: status, tone: "plain" },
  ];
}

/** @param areNamed false leaves those that are out of sight their number alone */
function tabSpans(frame: Frame, areNamed: boolean): Span[] {
  const shown: readonly Pick<Screen, "id" | "title" | "tabNumber">[] = frame.isStarting
    ? tabs
    : frame.screens;
  const spans: Span[] = [{ text: ` ${frame.program} `, tone: "title" }];
  for (const [index, { id, title, tabNumber = index + 1 }] of shown.entries()) {
    const isCurrent = id === frame.current?.id;
    const tab = areNamed || isCurrent ? `${tabNumber} ${title}` : String(tabNumber);
    spans.push({ text: " ", tone: "plain" });
    spans.push(isCurrent ? { text: `[${tab}]`, tone: "tab" } : { text: ` ${tab} `, tone: "plain" });
  }
  return spans;
}

/** What matters least stands first and goes first. */
function statusText({ statusParts, glyphs }: Frame, room: number): string {
  const parts = statusParts.map((part) => harmless(part, glyphs));
  while (parts.length > 1 && textWidth(parts.join("  ")) > room) parts.shift();
  const text = parts.join("  ");
  // Of this machine's own address the port tells enough.
  const short = textWidth(text) > room ? text.replace("127.0.0.1:", ":") : text;
  return truncateText(short, room, glyphs.ellipsis);
}

function harmless(text: string, glyphs: Glyphs): string {
  return neutraliseLine(withGlyphs(text, glyphs), glyphs.isAscii);
}

/** What is needed, and what goes on meanwhile. */
function tooSmallCard({ statusParts, glyphs }: Frame, { columns, rows }: WindowSize): StyledRow[] {
  const lines: Span[] = [
    { text: `Too small: ${columns}x${rows}`, tone: "warning" },
    { text: `needs ${columnsMinimum}x${rowsMinimum}`, tone: "plain" },
    ...statusParts.map((part): Span => ({ text: harmless(part, glyphs), tone: "dim" })),
  ];
  const shown = lines.slice(0, Math.max(1, rows)).map((span): StyledRow => {
    const text = truncateText(span.text, columns, glyphs.ellipsis);
    const left = " ".repeat(Math.max(0, Math.floor((columns - textWidth(text)) / 2)));
    return [
      { text: left, tone: "plain" },
      { text, tone: span.tone },
    ];
  });
  const above = Math.max(0, Math.floor((rows - shown.length) / 2));
  const below = Math.max(0, rows - shown.length - above);
  return [...Array<StyledRow>(above).fill([]), ...shown, ...Array<StyledRow>(below).fill([])];
}
