// The Server screen as rows: panes, the request table, the selected request below it.

import type { EditorState } from "../../editor/editor-state.ts";
import type { BodySize, ScreenPicture, StyledRow } from "../../frame/screen.ts";
import type { LinkState } from "../../live/follow.ts";
import { drawBox, innerHeight, innerWidth } from "../../panes/box.ts";
import { fitRow, foreignSpan, rowWidth, textRow } from "../../panes/styled-row.ts";
import { fitColumns, headerRow } from "../../panes/table.ts";
import { fieldPicture } from "../../panes/text-field.ts";
import { span } from "../../text/quantities.ts";
import { wrapLine } from "../../text/wrap-line.ts";
import type { Glyphs, Tone } from "../../theme.ts";
import { requestColumns, requestRow } from "./request-columns.ts";
import { summaryRows } from "./request-detail.ts";
import type { RequestList } from "./request-list.ts";
import type { ServerKeeper } from "./server-control.ts";
import {
  paneColumnsMinimum,
  paneHeight,
  type ServerPaneFacts,
  serverLine,
  serverPanes,
} from "./server-panes.ts";

export interface ServerPictureFacts {
  readonly panes: ServerPaneFacts;
  readonly link: LinkState;
  readonly url: string;
  readonly keeper: Pick<ServerKeeper, "state" | "work" | "problem" | "warning">;
  readonly list: RequestList;
  /** The filter while one types in it. */
  readonly field: EditorState | undefined;
  readonly isRelative: boolean;
  /** Rows of the request that is open in full, and the first one in sight. */
  readonly detail: { readonly rows: readonly StyledRow[]; readonly top: number } | undefined;
  readonly glyphs: Glyphs;
}

/** Border, parameters, phases. */
const previewHeight = 6;
/** In a window with fewer rows the table needs them all. */
const previewRowsMinimum = 26;
const fieldWidthMaximum = 48;
const bannerRowsMaximum = 3;

export function serverPicture(facts: ServerPictureFacts, size: BodySize): ScreenPicture {
  const banner = bannerRows(facts, size.columns);
  const left: BodySize = { columns: size.columns, rows: size.rows - banner.length };
  if (facts.detail !== undefined) {
    return { rows: [...banner, ...detailBox(facts, left)] };
  }
  const panes = paneRows(facts, left);
  const hasPreview = size.rows >= previewRowsMinimum && facts.list.selected !== undefined;
  const preview = hasPreview ? previewBox(facts, size.columns) : [];
  const tableHeight = Math.max(4, left.rows - panes.length - preview.length);
  const table = tableBox(facts, { columns: size.columns, rows: tableHeight });
  const y = banner.length + panes.length + 1;
  return {
    rows: [...banner, ...panes, ...table.rows, ...preview],
    ...(table.cursorX !== undefined && { cursor: { x: table.cursorX, y } }),
  };
}

/** How many requests the table shows at a time. */
export function tableRows(size: BodySize): number {
  const panes = size.columns >= paneColumnsMinimum ? paneHeight : 1;
  const preview = size.rows >= previewRowsMinimum ? previewHeight : 0;
  return Math.max(1, size.rows - panes - preview - 4);
}

/** How many rows of an open request are in sight. */
export function detailHeight(size: BodySize): number {
  return Math.max(1, innerHeight(size.rows));
}

function bannerRows(facts: ServerPictureFacts, width: number): StyledRow[] {
  const { text, tone } = bannerOf(facts) ?? {};
  if (text === undefined || tone === undefined) return [];
  const harmless = foreignSpan(text, tone, facts.glyphs.isAscii).text;
  return wrapLine(harmless, width - 2)
    .slice(0, bannerRowsMaximum)
    .map((row) => [{ text: ` ${row.text}`, tone }]);
}

export interface BannerFacts
  extends Pick<ServerPictureFacts, "keeper" | "link" | "url" | "glyphs"> {
  readonly panes: Pick<ServerPaneFacts, "now">;
}

/** What is the matter with the server, and the keys that help. */
export function bannerOf({
  keeper,
  link,
  panes,
  url,
  glyphs,
}: BannerFacts): { text: string; tone: Tone } | undefined {
  const { work, problem, state, warning } = keeper;
  const parted = (...parts: string[]) => parts.join(` ${glyphs.separator} `);
  if (work !== undefined) return { text: `${glyphs.working} ${work}`, tone: "mark" };
  if (problem !== undefined) {
    const text = `${glyphs.failed} ${problem.sentence}`;
    const keys = [...remedyKeys[problem.remedy], "o settings", "S starts it as it was"];
    return {
      text: parted(text, ...keys),
      tone: problem.remedy === "make-key" ? "warning" : "error",
    };
  }
  if (state === "stopped") {
    const text = `${glyphs.idle} The server is stopped`;
    return { text: parted(text, "S starts it", "o settings"), tone: "warning" };
  }
  if (link.kind === "down") {
    const age = span(panes.now - link.sinceMs);
    const text = `${glyphs.failed} ${link.sentence} Gone for ${age}; ${url} is asked again and again`;
    return { text, tone: "error" };
  }
  if (warning === undefined) return undefined;
  return { text: parted(`${glyphs.warning} ${warning}`, "o settings"), tone: "warning" };
}

const remedyKeys = {
  "next-port": ["p takes the next free port"],
  "make-key": ["n makes a key"],
  none: [],
} as const;

function paneRows({ panes, glyphs }: ServerPictureFacts, size: BodySize): StyledRow[] {
  if (size.columns < paneColumnsMinimum || size.rows < 20) {
    const margin = { text: " ", tone: "plain" } as const;
    return [[margin, ...serverLine(panes, size.columns - 2, glyphs)]];
  }
  return serverPanes(panes, size.columns, glyphs);
}

function tableBox(
  facts: ServerPictureFacts,
  size: BodySize,
): { rows: StyledRow[]; cursorX: number | undefined } {
  const { list, field, glyphs, isRelative, panes } = facts;
  const width = innerWidth(size.columns);
  const columns = fitColumns(requestColumns({ glyphs, isRelative, now: panes.now }), width - 2);
  const height = innerHeight(size.rows);
  const { filterRow, cursorX } = filterLine(facts, width, field);
  const bodyRows = Math.max(0, height - 2);
  const { shown, selectedIndex } = list;
  const top = Math.max(
    0,
    Math.min(selectedIndex - Math.floor(bodyRows / 2), shown.length - bodyRows),
  );
  const rows = shown.slice(top, top + bodyRows).map((view, index): StyledRow => {
    const isSelected = top + index === selectedIndex;
    const tone = isSelected ? "selected" : undefined;
    return [
      { text: isSelected ? `${glyphs.marker} ` : "  ", tone: "key" },
      ...requestRow(columns, view, width - 2, glyphs, tone),
    ];
  });
  const content = [
    filterRow,
    [{ text: "  ", tone: "plain" } as const, ...headerRow(columns, glyphs)],
    ...(shown.length === 0 ? emptyRows(facts, width) : rows),
  ];
  const footer = list.isFollowing
    ? `${shown.length} of ${list.total}`
    : `${selectedIndex + 1} of ${shown.length} ${glyphs.separator} End follows`;
  return {
    rows: drawBox(content, {
      width: size.columns,
      height: size.rows,
      glyphs,
      title: "Requests",
      footer,
      isFocused: true,
    }),
    cursorX,
  };
}

function filterLine(
  { list, glyphs }: ServerPictureFacts,
  width: number,
  field: EditorState | undefined,
): { filterRow: StyledRow; cursorX: number | undefined } {
  const { status, model, text } = list.filters;
  const state = list.isPaused ? `PAUSED +${list.missed}` : list.isFollowing ? "FOLLOW" : "";
  const left: StyledRow = [
    { text: "status ", tone: "dim" },
    { text: status, tone: status === "all" ? "plain" : "value" },
    { text: "  model ", tone: "dim" },
    foreignSpan(model ?? "all", model === undefined ? "plain" : "value", glyphs.isAscii),
    { text: "  filter ", tone: "dim" },
  ];
  const used = rowWidth(left);
  const room = Math.max(8, Math.min(fieldWidthMaximum, width - used - state.length - 2));
  const picture = field === undefined ? undefined : fieldPicture(field, room);
  const value =
    picture?.span ??
    foreignSpan(text === "" ? "none" : text, text === "" ? "plain" : "value", glyphs.isAscii);
  const problem =
    list.problem === undefined
      ? []
      : [foreignSpan(`  ${glyphs.warning} ${list.problem}`, "warning", glyphs.isAscii)];
  const row = fitRow(
    [...left, value, ...problem],
    Math.max(0, width - state.length - 1),
    glyphs.ellipsis,
  );
  return {
    filterRow: [...row, { text: ` ${state}`, tone: list.isPaused ? "warning" : "good" }],
    // The border and a blank are in front.
    cursorX: picture === undefined ? undefined : 2 + used + picture.cursorX,
  };
}

function emptyRows({ list, url }: ServerPictureFacts, width: number): StyledRow[] {
  const lines =
    list.total > 0
      ? ["Nothing matches. Esc shows all requests."]
      : ["Listening; nothing has been asked yet. For example:", exampleCall(url), "y copies it."];
  return lines
    .flatMap((line) => wrapLine(line, width - 2))
    .map(({ text }) => textRow(`  ${text}`, "dim"));
}

/** A call that anybody can try. */
export function exampleCall(url: string): string {
  const body = { model: "tiny", messages: [{ role: "user", content: "Hi" }] };
  return `curl ${url}/v1/chat/completions -H 'content-type: application/json' -d '${JSON.stringify(body)}'`;
}

function previewBox({ list, glyphs }: ServerPictureFacts, columns: number): StyledRow[] {
  const { selected } = list;
  if (selected === undefined) return [];
  return drawBox(summaryRows(selected, innerWidth(columns), glyphs), {
    width: columns,
    height: previewHeight,
    glyphs,
    title: `${selected.id} ${glyphs.separator} Enter opens it`,
  });
}

function detailBox({ detail, list, glyphs }: ServerPictureFacts, size: BodySize): StyledRow[] {
  const { rows = [], top = 0 } = detail ?? {};
  const height = innerHeight(size.rows);
  const end = Math.min(rows.length, top + height);
  return drawBox(rows.slice(top, end), {
    width: size.columns,
    height: size.rows,
    glyphs,
    title: `Request ${list.selected?.id ?? ""}`,
    footer: rows.length > height ? `rows ${top + 1} to ${end} of ${rows.length}` : "",
    isFocused: true,
  });
}
