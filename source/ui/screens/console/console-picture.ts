// The console as rows: deployments above; below them replicas, keys and the log.

import type {
  AppDocument,
  EventDocument,
  KeyDocument,
  ReplicaDocument,
} from "../../../cloud/admin/documents.ts";
import type { BodySize, ScreenPicture, Span, StyledRow } from "../../frame/screen.ts";
import { besides, drawBox, innerHeight, innerWidth } from "../../panes/box.ts";
import { span } from "../../panes/quantities.ts";
import { clipRow, foreignSpan, rowWidth, textRow } from "../../panes/styled-row.ts";
import { type Column, fitColumns, headerRow, tableRow } from "../../panes/table.ts";
import { fieldPicture } from "../../panes/text-field.ts";
import type { Glyphs } from "../../theme.ts";
import type { CloudTarget } from "../cloud-access.ts";
import { appColumns, shownName } from "./app-columns.ts";
import { type AppFigures, nameOf } from "./app-figures.ts";
import type { FeedLink } from "./console-feed.ts";
import { type ConsoleState, type Pane, visibleFrom } from "./console-state.ts";
import { keyColumns } from "./key-columns.ts";
import { logRows } from "./log-rows.ts";
import type { LogView } from "./log-view.ts";
import { replicaPaneRows, shortReplica } from "./replica-rows.ts";

export interface ConsoleFacts {
  readonly state: ConsoleState;
  readonly target: CloudTarget;
  readonly link: FeedLink;
  /** How old the figures are; undefined before there are any. */
  readonly ageMs: number | undefined;
  readonly organisation: string | undefined;
  /** Those that pass the filter, and how many there are. */
  readonly apps: readonly AppDocument[];
  readonly appCount: number;
  /** -1 for none. */
  readonly appIndex: number;
  readonly figuresOf: (name: string) => AppFigures;
  /** Of the selected app, as the next. */
  readonly replicas: readonly ReplicaDocument[];
  readonly replicaIndex: number;
  readonly events: readonly EventDocument[];
  readonly keys: readonly KeyDocument[];
  readonly keyIndex: number;
  readonly log: LogView;
  readonly detailsRows: readonly StyledRow[];
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly glyphs: Glyphs;
}

/** From this size on all panes are in sight. */
export const allPanesColumns = 100;
export const allPanesRows = 24;
/** Figures that are older have not been asked for in time. */
const staleMs = 4000;
const middleHeight = 9;
const logFieldWidth = 40;
const madeHeight = 5;

type Pictured = { rows: StyledRow[]; cursor?: { x: number; y: number } };

export function consolePicture(facts: ConsoleFacts, size: BodySize): ScreenPicture {
  const banner = bannerRows(facts, size.columns);
  const made = madeRows(facts, size.columns);
  const left = { columns: size.columns, rows: size.rows - banner.length - made.length };
  const body = bodyPicture(facts, left);
  const { cursor } = body;
  return {
    rows: [...banner, ...body.rows, ...made],
    ...(cursor !== undefined && { cursor: { x: cursor.x, y: cursor.y + banner.length } }),
  };
}

/** Rows of a list in its pane, for a page up or down. */
export function paneRows(state: ConsoleState, size: BodySize): number {
  if (state.isZoomed || state.details !== undefined) return Math.max(1, size.rows - 3);
  const heights = heightsOf(size, 4);
  const height = state.pane === "apps" ? heights.apps : heights[state.pane];
  return Math.max(1, height - 3);
}

function bodyPicture(facts: ConsoleFacts, size: BodySize): Pictured {
  const { state } = facts;
  if (state.details !== undefined) return { rows: detailsBox(facts, size) };
  if (facts.appCount === 0 && state.pane !== "keys" && !state.isZoomed) {
    return { rows: emptyBox(facts, size) };
  }
  if (state.isZoomed) return panePicture(state.pane, facts, size);
  const { columns } = size;
  const heights = heightsOf(size, facts.apps.length);
  const apps = panePicture("apps", facts, { columns, rows: heights.apps });
  if (!hasAllPanes(size)) {
    const pane = state.pane === "apps" ? "replicas" : state.pane;
    return stack([apps, panePicture(pane, facts, { columns, rows: heights.logs })]);
  }
  const half = Math.floor(columns / 2);
  const replicas = panePicture("replicas", facts, { columns: half, rows: heights.replicas });
  const keys = panePicture("keys", facts, { columns: columns - half, rows: heights.keys });
  const middle = besides(replicas.rows, keys.rows, half, facts.glyphs.ellipsis);
  const logs = panePicture("logs", facts, { columns, rows: heights.logs });
  return stack([apps, { rows: middle }, logs]);
}

function hasAllPanes({ columns, rows }: BodySize): boolean {
  return columns >= allPanesColumns && rows >= allPanesRows;
}

/** The table takes what it needs up to a half; the log what is left. */
function heightsOf(size: BodySize, apps: number): Readonly<Record<Pane, number>> {
  const { rows } = size;
  const wanted = Math.max(6, apps + 4);
  if (!hasAllPanes(size)) {
    const top = Math.min(wanted, Math.max(5, Math.floor(rows / 2)));
    const below = Math.max(3, rows - top);
    return { apps: top, replicas: below, keys: below, logs: below };
  }
  const top = Math.min(wanted, Math.max(6, Math.floor((rows - middleHeight) / 2)));
  return {
    apps: top,
    replicas: middleHeight,
    keys: middleHeight,
    logs: Math.max(3, rows - top - middleHeight),
  };
}

function stack(parts: readonly Pictured[]): Pictured {
  const rows: StyledRow[] = [];
  let cursor: Pictured["cursor"];
  for (const part of parts) {
    if (part.cursor !== undefined) cursor = { ...part.cursor, y: part.cursor.y + rows.length };
    rows.push(...part.rows);
  }
  return { rows, ...(cursor !== undefined && { cursor }) };
}

function panePicture(pane: Pane, facts: ConsoleFacts, size: BodySize): Pictured {
  switch (pane) {
    case "apps":
      return appsBox(facts, size);
    case "replicas":
      return { rows: replicasBox(facts, size) };
    case "keys":
      return { rows: keysBox(facts, size) };
    case "logs":
      return logsBox(facts, size);
  }
}

function appsBox(facts: ConsoleFacts, size: BodySize): Pictured {
  const { state, apps, appCount, appIndex, glyphs, organisation, figuresOf, now } = facts;
  const width = innerWidth(size.columns);
  const note = noteRow(facts, width);
  const room = Math.max(0, innerHeight(size.rows) - 1 - note.length);
  const columns = appColumns({ glyphs, organisation, figuresOf, now });
  const rows = tableRows(facts, columns, apps, appIndex, { width, height: room });
  const nothing = textRow(`  No deployment is called '${state.filter}'. Esc shows all.`, "dim");
  const body = apps.length === 0 ? [nothing] : rows.slice(1);
  const filter = filterSpans(facts, "apps", "Deployments");
  const boxed = drawBox([rows[0] ?? [], ...filled(body, room), ...note], {
    width: size.columns,
    height: size.rows,
    glyphs,
    title: filter.title,
    footer:
      apps.length === 0
        ? ""
        : `${appIndex + 1} of ${apps.length}${apps.length < appCount ? ` (${appCount} in all)` : ""}`,
    isFocused: state.pane === "apps",
  });
  return {
    rows: boxed,
    ...(filter.cursorX !== undefined && { cursor: { x: filter.cursorX, y: 0 } }),
  };
}

/** What is wrong with the selected app, or what is being done to it. */
function noteRow(
  { apps, appIndex, state, glyphs, organisation }: ConsoleFacts,
  width: number,
): StyledRow[] {
  const app = apps[appIndex];
  if (app === undefined) return [];
  const name = shownName(app, organisation);
  const work = state.works[nameOf(app)];
  if (work !== undefined) {
    const text = `${glyphs.working} ${name}: ${work}`;
    return [clipRow([foreignSpan(text, "mark", glyphs.isAscii)], width, glyphs.ellipsis)];
  }
  if (app.reason === undefined) return [];
  const text = `${glyphs.warning} ${name}: ${app.reason}`;
  return [clipRow([foreignSpan(text, "warning", glyphs.isAscii)], width, glyphs.ellipsis)];
}

function replicasBox(facts: ConsoleFacts, size: BodySize): StyledRow[] {
  const { state, apps, appIndex, glyphs, replicas, replicaIndex, events, now } = facts;
  const app = apps[appIndex];
  const [width, height] = [innerWidth(size.columns), innerHeight(size.rows)];
  const rows =
    app === undefined
      ? []
      : replicaPaneRows(
          {
            replicas,
            selectedIndex: state.pane === "replicas" ? replicaIndex : -1,
            figures: facts.figuresOf(nameOf(app)),
            scale: app.scale,
            events,
            now,
            glyphs,
          },
          width,
          height,
        );
  return drawBox(dimmedIfOld(rows, facts), {
    width: size.columns,
    height: size.rows,
    glyphs,
    title: `${appTitle(facts)}replicas`,
    footer: replicas.length > 0 ? String(replicas.length) : "",
    isFocused: state.pane === "replicas",
  });
}

function keysBox(facts: ConsoleFacts, size: BodySize): StyledRow[] {
  const { state, keys, keyIndex, glyphs, now } = facts;
  const [width, height] = [innerWidth(size.columns), innerHeight(size.rows)];
  const index = state.pane === "keys" ? keyIndex : -1;
  const rows = tableRows(facts, keyColumns(glyphs, now), keys, index, {
    width,
    height: Math.max(0, height - 1),
  });
  const none = textRow("  There is no key yet. n makes one.", "dim");
  return drawBox(keys.length === 0 ? [rows[0] ?? [], none] : rows, {
    width: size.columns,
    height: size.rows,
    glyphs,
    title: "API keys",
    footer: keys.length > 0 ? String(keys.length) : "",
    isFocused: state.pane === "keys",
  });
}

function logsBox(facts: ConsoleFacts, size: BodySize): Pictured {
  const { state, log, glyphs } = facts;
  const [width, height] = [innerWidth(size.columns), innerHeight(size.rows)];
  const filter = filterSpans(facts, "logs", `${appTitle(facts)}log`);
  const rows = logRows(log, { width, height, glyphs, isWrapped: state.isWrapped });
  const nothing =
    log.keptCount === 0 ? "  Nothing is written yet." : "  Nothing matches. Esc shows all.";
  const footer = log.isFollowing
    ? `${log.shownCount} lines ${glyphs.separator} FOLLOW`
    : `+${log.missed} ${glyphs.separator} End follows`;
  const boxed = drawBox(rows.length === 0 ? [textRow(nothing, "dim")] : rows, {
    width: size.columns,
    height: size.rows,
    glyphs,
    title: filter.title,
    footer,
    isFocused: state.pane === "logs",
  });
  return {
    rows: boxed,
    ...(filter.cursorX !== undefined && { cursor: { x: filter.cursorX, y: 0 } }),
  };
}

/** A title with its filter, and where the cursor is while one types in that. */
function filterSpans(
  { state, log, glyphs }: ConsoleFacts,
  pane: "apps" | "logs",
  title: string,
): { title: string; cursorX: number | undefined } {
  const isField = state.field !== undefined && state.pane === pane;
  const text = pane === "apps" ? state.filter : log.text;
  const chosen =
    pane === "apps"
      ? []
      : [
          ...(log.replica === undefined ? [] : [shortReplica(log.replica)]),
          ...(log.stream === "all" ? [] : [log.stream]),
        ];
  const head = [title, ...chosen].join(` ${glyphs.separator} `);
  if (state.field === undefined || !isField) {
    const shown = text === "" ? head : `${head} ${glyphs.separator} filter: ${text}`;
    return { title: foreignSpan(shown, "plain", glyphs.isAscii).text, cursorX: undefined };
  }
  const picture = fieldPicture(state.field.editor, logFieldWidth);
  const before = `${head} ${glyphs.separator} filter: `;
  // The corner, a line, and a blank are in front.
  const cursorX = 3 + rowWidth([{ text: before, tone: "plain" }]) + picture.cursorX;
  return { title: `${before}${picture.span.text}`, cursorX };
}

function tableRows<Item>(
  facts: ConsoleFacts,
  all: readonly Column<Item>[],
  items: readonly Item[],
  selected: number,
  { width, height }: { width: number; height: number },
): StyledRow[] {
  const { glyphs } = facts;
  const columns = fitColumns(all, width - 2);
  const top = visibleFrom(selected, items.length, height);
  const rows = items.slice(top, top + height).map((item, index): StyledRow => {
    const isSelected = top + index === selected;
    const marker: Span = { text: isSelected ? `${glyphs.marker} ` : "  ", tone: "key" };
    return [marker, ...tableRow(columns, item, glyphs, isSelected ? "selected" : undefined)];
  });
  return [
    [{ text: "  ", tone: "plain" }, ...headerRow(columns, glyphs)],
    ...dimmedIfOld(rows, facts),
  ];
}

/** What may not be true any more is not shown as if it were. */
function dimmedIfOld(rows: StyledRow[], { link, ageMs }: ConsoleFacts): StyledRow[] {
  const isOld = link.kind === "down" || (ageMs ?? 0) > staleMs;
  if (!isOld) return rows;
  return rows.map((row) =>
    row.map((part) => (part.tone === "key" ? part : { ...part, tone: "dim" })),
  );
}

function bannerRows({ link, ageMs, target, glyphs }: ConsoleFacts, width: number): StyledRow[] {
  const separator = ` ${glyphs.separator} `;
  const old = ageMs === undefined ? "" : `${separator}figures are ${span(ageMs)} old`;
  if (link.kind === "down") {
    const start = target.isLocal && link.isUnreachable ? [`S starts it`] : [];
    const what =
      target.isLocal && link.isUnreachable
        ? "No control plane answers on this machine"
        : link.sentence;
    const text = ` ${glyphs.failed} ${what}${old}${separator}${[...start, "r asks again"].join(separator)}`;
    return [clipRow([foreignSpan(text, "error", glyphs.isAscii)], width, glyphs.ellipsis)];
  }
  if (ageMs === undefined || ageMs <= staleMs) return [];
  return [
    clipRow(
      textRow(` ${glyphs.warning} The control plane is slow to answer${old}`, "warning"),
      width,
      glyphs.ellipsis,
    ),
  ];
}

function emptyBox({ link, target, glyphs, state }: ConsoleFacts, size: BodySize): StyledRow[] {
  const lines: readonly string[] =
    link.kind === "up"
      ? [
          "Nothing is deployed yet. 4 opens the wizard: from a script or a model to a private endpoint.",
        ]
      : link.kind === "connecting"
        ? [`Asking ${target.place} what is deployed${glyphs.ellipsis}`]
        : target.isLocal && link.isUnreachable
          ? [
              "The control plane does not run.",
              "S starts it: it serves apps in the background until deployctl down.",
              "4 opens the wizard, whose launch starts it too.",
            ]
          : [link.sentence, "r asks again; p chooses another server."];
  const rows = lines.map((line) => [foreignSpan(`  ${line}`, "dim", glyphs.isAscii)]);
  return drawBox([[], ...rows], {
    width: size.columns,
    height: size.rows,
    glyphs,
    title: "Deployments",
    isFocused: state.pane === "apps",
  });
}

function detailsBox({ state, detailsRows, glyphs }: ConsoleFacts, size: BodySize): StyledRow[] {
  const height = innerHeight(size.rows);
  const { app = "", top = 0 } = state.details ?? {};
  const end = Math.min(detailsRows.length, top + height);
  return drawBox(detailsRows.slice(top, end), {
    width: size.columns,
    height: size.rows,
    glyphs,
    title: app,
    footer: detailsRows.length > height ? `rows ${top + 1} to ${end} of ${detailsRows.length}` : "",
    isFocused: true,
  });
}

/** The token of a new key, which nobody can look up again. */
function madeRows({ state, glyphs }: ConsoleFacts, columns: number): StyledRow[] {
  if (state.made === undefined) return [];
  const { document, isCopied } = state.made;
  const hint = isCopied ? "copied" : "y copies it";
  const rows: StyledRow[] = [
    [foreignSpan(document.token, "value", glyphs.isAscii)],
    textRow(
      `Authorization: Key TOKEN ${glyphs.separator} ${hint} ${glyphs.separator} Enter closes this`,
      "dim",
    ),
    textRow(
      "It is shown this once: the server keeps no token, and nobody can show it again.",
      "dim",
    ),
  ];
  return drawBox(rows, {
    width: columns,
    height: madeHeight,
    glyphs,
    title: `New key ${document.key.description ?? document.key.id}`,
    isFocused: true,
  });
}

function appTitle({ apps, appIndex, organisation, glyphs }: ConsoleFacts): string {
  const app = apps[appIndex];
  return app === undefined ? "" : `${shownName(app, organisation)} ${glyphs.separator} `;
}

function filled(rows: readonly StyledRow[], height: number): StyledRow[] {
  return Array.from({ length: height }, (_, index) => rows[index] ?? []);
}
