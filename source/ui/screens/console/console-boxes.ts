// The panes of the console, each in its box.

import { toOneLine } from "../../../base/seen-text.ts";
import type { BodySize, Span, StyledRow } from "../../frame/screen.ts";
import { drawBox, innerHeight, innerWidth } from "../../panes/box.ts";
import { clipRow, foreignSpan, rowWidth, textRow } from "../../panes/styled-row.ts";
import { type Column, fitColumns, headerRow, tableRow } from "../../panes/table.ts";
import { fieldPicture } from "../../panes/text-field.ts";
import { span } from "../../text/quantities.ts";
import { appColumns, shownName } from "./app-columns.ts";
import { nameOf } from "./app-figures.ts";
import type { ConsoleFacts } from "./console-facts.ts";
import { visibleFrom } from "./console-state.ts";
import { keyColumns } from "./key-columns.ts";
import { logRows } from "./log-rows.ts";
import { replicaPaneRows, shortReplica } from "./replica-rows.ts";

/** Figures that are older have not been asked for in time. */
const staleMs = 4000;
const fieldWidth = 40;
const madeHeight = 5;

/** Rows, and the cell of the cursor in them. */
export interface Pictured {
  readonly rows: StyledRow[];
  readonly cursor?: { readonly x: number; readonly y: number };
}

export function appsBox(facts: ConsoleFacts, size: BodySize): Pictured {
  const { state, apps, appCount, appIndex, glyphs, organisation, figuresOf, now } = facts;
  const width = innerWidth(size.columns);
  const note = noteRow(facts, width);
  const room = Math.max(0, innerHeight(size.rows) - 1 - note.length);
  const columns = appColumns({ glyphs, organisation, figuresOf, now });
  const rows = tableRows(facts, columns, apps, appIndex, { width, height: room });
  const nothing = textRow(
    appCount === 0
      ? "  Nothing is deployed yet."
      : `  No deployment is called '${state.filter}'. Esc shows all.`,
    "dim",
  );
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
    const text = `${glyphs.working} ${name}: ${toOneLine(work)}`;
    return [clipRow([foreignSpan(text, "mark", glyphs.isAscii)], width, glyphs.ellipsis)];
  }
  if (app.reason === undefined) return [];
  const text = `${glyphs.warning} ${name}: ${toOneLine(app.reason)}`;
  return [clipRow([foreignSpan(text, "warning", glyphs.isAscii)], width, glyphs.ellipsis)];
}

export function replicasBox(facts: ConsoleFacts, size: BodySize): StyledRow[] {
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

export function keysBox(facts: ConsoleFacts, size: BodySize): StyledRow[] {
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

export function logsBox(facts: ConsoleFacts, size: BodySize): Pictured {
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
  const picture = fieldPicture(state.field.editor, fieldWidth);
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

export function bannerRows(
  { link, ageMs, target, glyphs }: ConsoleFacts,
  width: number,
): StyledRow[] {
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

export function emptyBox(
  { link, target, glyphs, state }: ConsoleFacts,
  size: BodySize,
): StyledRow[] {
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

export function detailsBox(
  { state, detailsRows, glyphs }: ConsoleFacts,
  size: BodySize,
): StyledRow[] {
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
export function madeRows({ state, glyphs }: ConsoleFacts, columns: number): StyledRow[] {
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
