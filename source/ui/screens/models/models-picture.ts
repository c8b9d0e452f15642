// The whole screen as rows: sources and filter, the list, the downloads, and the card beside it or
// in its place.

import type { BodySize, ScreenPicture, Span, StyledRow } from "../../frame/screen.ts";
import { besides, drawBox, innerHeight, innerWidth } from "../../panes/box.ts";
import { fitRow, foreignSpan, rowWidth, textRow } from "../../panes/styled-row.ts";
import { fieldPicture } from "../../panes/text-field.ts";
import { neutraliseLine } from "../../text/neutralise.ts";
import type { Glyphs } from "../../theme.ts";
import { cardRows } from "./card-rows.ts";
import { downloadRows } from "./download-rows.ts";
import { ageOf, listRows } from "./list-rows.ts";
import { entriesOf, type FoundEntry, type ModelEntry, selectedIndex } from "./model-entries.ts";
import { formatSpan, formatWindow } from "./model-figures.ts";
import { shortName } from "./model-name.ts";
import { type ModelsState, sources } from "./models-state.ts";

export interface PictureLook {
  readonly glyphs: Glyphs;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/** From so many columns on, the card has a place of its own. */
const twoPanesFrom = 100;
/** From so many columns on, a narrow window has a line about the selected model. */
const summaryFrom = 80;
const listShare = 0.6;
const sourceTitles = { local: "Local", hub: "Hub", running: "Running" } as const;

export function modelsPicture(
  state: ModelsState,
  size: BodySize,
  look: PictureLook,
): ScreenPicture {
  const entries = entriesOf(state, state.source);
  const entry = entries[selectedIndex(state, entries)]?.entry;
  if (size.columns >= twoPanesFrom) {
    const listWidth = Math.floor(size.columns * listShare);
    const list = listBox(state, entries, { columns: listWidth, rows: size.rows }, look);
    const card = cardBox(state, entry, { ...size, columns: size.columns - listWidth }, look);
    const rows = besides(list.rows, card, listWidth, look.glyphs.ellipsis);
    return { rows, cursor: list.cursor };
  }
  if (state.pane === "card") return { rows: cardBox(state, entry, size, look) };
  const hasSummary = size.columns >= summaryFrom && entry !== undefined;
  const list = listBox(state, entries, { ...size, rows: size.rows - (hasSummary ? 1 : 0) }, look);
  const summary = hasSummary ? [summaryRow(entry, size.columns, look)] : [];
  return { rows: [...list.rows, ...summary], cursor: list.cursor };
}

/** The rows of the card that fit in; how far it can be scrolled follows from both. */
export function lastCardTop(state: ModelsState, size: BodySize, look: PictureLook): number {
  const entries = entriesOf(state, state.source);
  const entry = entries[selectedIndex(state, entries)]?.entry;
  if (entry === undefined) return 0;
  const columns =
    size.columns >= twoPanesFrom
      ? size.columns - Math.floor(size.columns * listShare)
      : size.columns;
  const rows = cardRows(entry, state, { ...look, width: innerWidth(columns) });
  return Math.max(0, rows.length - innerHeight(size.rows));
}

function listBox(
  state: ModelsState,
  entries: readonly FoundEntry[],
  size: BodySize,
  look: PictureLook,
): { rows: StyledRow[]; cursor: ScreenPicture["cursor"] } {
  const { glyphs, nowMs } = look;
  const width = innerWidth(size.columns);
  const height = innerHeight(size.rows);
  const bar = sourceBar(state, width, glyphs);
  const work: StyledRow[] =
    state.work === undefined
      ? []
      : [[foreignSpan(`${glyphs.working} ${state.work}`, "mark", glyphs.isAscii)]];
  const downloads = downloadRows(state.downloads, Math.floor(height / 2), { width, glyphs, nowMs });
  const below = [...work, ...downloads];
  const gap = below.length > 0 ? 1 : 0;
  const listHeight = Math.max(1, height - 2 - below.length - gap);
  const list = listRows(state, entries, { width, height: listHeight, glyphs, nowMs });
  const padding = Array.from({ length: listHeight - list.length + gap }, (): StyledRow => []);
  const rows = drawBox([bar.row, [], ...list, ...padding, ...below], {
    width: size.columns,
    height: size.rows,
    glyphs,
    title: titleOf(state, look),
    footer: footerOf(state, entries),
    isFocused: state.pane === "list",
  });
  const cursor = bar.cursorX === undefined ? undefined : { x: 2 + bar.cursorX, y: 1 };
  return { rows, cursor };
}

function titleOf({ local, hub, running }: ModelsState, { nowMs }: PictureLook): string {
  const count = (reading: { value: readonly unknown[] | undefined }) => reading.value?.length;
  const parts = [
    ["local", count(local)],
    ["hub", count(hub)],
    ["loaded", count(running)],
  ].flatMap(([word, number]) => (number === undefined ? [] : [`${word} ${number}`]));
  const ageMs = ageOf(local, nowMs);
  const age = ageMs === undefined ? "" : `, ${formatSpan(ageMs)} ago`;
  return parts.length === 0 ? "Models" : `Models (${parts.join(", ")}${age})`;
}

function footerOf(state: ModelsState, entries: readonly FoundEntry[]): string {
  const { sort } = state.lists[state.source];
  const order = `by ${sort}`;
  if (entries.length === 0) return order;
  return `${selectedIndex(state, entries) + 1} of ${entries.length}, ${order}`;
}

/** The sources with the one on show in brackets, and the field that filters or searches. */
function sourceBar(
  state: ModelsState,
  width: number,
  glyphs: Glyphs,
): { row: StyledRow; cursorX: number | undefined } {
  const tabs = sources.map((source): Span => {
    const title = sourceTitles[source];
    const isOpen = source === state.source;
    return { text: isOpen ? `[${title}] ` : ` ${title}  `, tone: isOpen ? "value" : "dim" };
  });
  const { filter } = state.lists[state.source];
  if (!state.isTyping && filter.text === "") return { row: tabs, cursorX: undefined };
  const label: Span = {
    text: state.source === "hub" ? " search: " : " filter: ",
    tone: state.isTyping ? "focus" : "dim",
  };
  const left = rowWidth(tabs) + rowWidth([label]);
  const field = fieldPicture(filter, Math.max(4, width - left));
  const text = foreignSpan(field.span.text, "value", glyphs.isAscii);
  return {
    row: fitRow([...tabs, label, text], width, ""),
    cursorX: state.isTyping ? left + field.cursorX : undefined,
  };
}

function cardBox(
  state: ModelsState,
  entry: ModelEntry | undefined,
  size: BodySize,
  { glyphs, nowMs }: PictureLook,
): StyledRow[] {
  const width = innerWidth(size.columns);
  const all = entry === undefined ? [] : cardRows(entry, state, { width, glyphs, nowMs });
  const height = innerHeight(size.rows);
  const top = Math.min(state.cardTop, Math.max(0, all.length - height));
  const below = all.length - top - height;
  return drawBox(all.slice(top, top + height), {
    width: size.columns,
    height: size.rows,
    glyphs,
    title: entry === undefined ? "Model" : titleOfCard(entry.name, width, glyphs),
    footer: below > 0 ? `${below} more below` : "",
    isFocused: state.pane === "card",
  });
}

/** A border is drawn as it is: the name must be harmless before. */
function titleOfCard(name: string, width: number, { ellipsis, isAscii }: Glyphs): string {
  return neutraliseLine(shortName(name, width, ellipsis), isAscii);
}

/** What a narrow window tells of the selected model. */
function summaryRow(entry: ModelEntry, width: number, { glyphs }: PictureLook): StyledRow {
  const separator = ` ${glyphs.separator} `;
  const text =
    entry.kind === "local"
      ? [
          entry.model?.family ?? "",
          entry.model?.parameterSize ?? "",
          entry.estimate === undefined
            ? ""
            : `${formatWindow(entry.estimate.contextLength)} context, ${entry.estimate.cacheType}`,
          "Tab card",
        ]
      : [entry.kind === "hub" ? (entry.model.architecture ?? "") : "", "Tab card"];
  const shown = text.filter((part) => part !== "").join(separator);
  return fitRow([{ text: " ", tone: "plain" }, ...textRow(shown, "dim")], width, glyphs.ellipsis);
}
