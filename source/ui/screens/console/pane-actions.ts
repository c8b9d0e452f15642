// Actions of the panes: moving, filtering, the log, and the choice of server.

import { showControls } from "../../../base/display-text.ts";
import type { Store } from "../../../base/store.ts";
import type { CloudScreenServices } from "../../app/cloud-access.ts";
import { openedField } from "../../components/list-state.ts";
import { panelInnerHeight, panelInnerWidth } from "../../components/panel.tsx";
import type { EditorState } from "../../editor/editor-state.ts";
import type { ConsoleFeed } from "./console-feed.ts";
import { contentSize, listRows } from "./console-layout.ts";
import {
  type ConsoleState,
  goBack,
  moveSelection,
  nextPane,
  select,
  selectedReplica,
  selectNamed,
  shownReplicas,
} from "./console-state.ts";
import { logLineText, shortReplica } from "./console-texts.ts";
import { detailRows } from "./detail-lines.ts";
import type { LogBuffer } from "./log-buffer.ts";

export interface ConsoleContext extends CloudScreenServices {
  readonly store: Store<ConsoleState>;
  readonly state: ConsoleState;
  readonly log: LogBuffer;
  readonly feed: ConsoleFeed;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Aborts when the program ends. */
  readonly closing: AbortSignal;
}

/** Shows a deployment in its table. @param name `local/tiny` */
export function selectApp({ store, state, feed }: ConsoleContext, name: string): void {
  const change = { pane: "apps", filter: "", details: undefined } as const;
  store.update(select({ ...state, ...change }, "apps", { name, index: 0 }));
  void feed.refresh();
}

export function openFilter({ store, state, log }: ConsoleContext): undefined {
  const before = state.pane === "logs" ? log.filters.text : state.filter;
  store.update({ field: openedField(before) });
}

/** Edits the filter, which applies while it is typed. */
export function editFilter(
  context: ConsoleContext,
  edit: (editor: EditorState) => EditorState,
): void {
  const { field } = context.state;
  if (field === undefined) return;
  const editor = edit(field.editor);
  setFilter(context, editor.text);
  context.store.update({ field: { ...field, editor } });
}

export function keepFilter({ store }: ConsoleContext): undefined {
  store.update({ field: undefined });
}

export function dropFilter(context: ConsoleContext): undefined {
  setFilter(context, context.state.field?.before ?? "");
  keepFilter(context);
}

function setFilter({ store, state, log }: ConsoleContext, text: string): void {
  if (state.pane === "logs") log.setFilters({ text });
  else store.update({ filter: text });
}

/** True if Esc clears the filters of the log before it closes anything. */
export function clearsLogFilters({ state, log }: ConsoleContext): boolean {
  return state.pane === "logs" && state.details === undefined && log.hasFilters;
}

export function back(context: ConsoleContext): undefined {
  if (clearsLogFilters(context)) context.log.clearFilters();
  else context.store.update(goBack(context.state) ?? {});
}

export function changePane({ store, state }: ConsoleContext, step: -1 | 1): undefined {
  store.update({ pane: nextPane(state.pane, step) });
}

export function zoom({ store, state }: ConsoleContext): undefined {
  store.update({ isZoomed: !state.isZoomed });
}

export function showNodes({ store }: ConsoleContext): undefined {
  store.update({ pane: "nodes" });
}

/** Moves the selection, the log or the details. @param rows down where positive; infinities are the ends */
export function move(context: ConsoleContext, rows: number): undefined {
  const { store, state, log } = context;
  if (state.details !== undefined) scrollDetails(context, rows);
  else if (state.pane === "logs") log.scroll(rows, listRows(state, sizeOf(context)));
  else store.update(moveSelection(state, state.pane, rows));
}

/** Moves by the visible rows. */
export function movePage(context: ConsoleContext, pages: number): undefined {
  const { state } = context;
  const size = sizeOf(context);
  const isList = state.details === undefined;
  const page = isList ? listRows(state, size) : Math.max(1, panelInnerHeight(size.rows) - 1);
  move(context, pages * page);
}

function scrollDetails(context: ConsoleContext, rows: number): void {
  const { store, state, now } = context;
  if (state.details === undefined) return;
  const size = sizeOf(context);
  const width = panelInnerWidth(size.columns);
  const count = detailRows(state.details.facts, {
    width,
    now: now(),
  }).length;
  const last = Math.max(0, count - panelInnerHeight(size.rows));
  const top = Math.max(0, Math.min(last, state.details.top + rows));
  store.update({ details: { ...state.details, top } });
}

function sizeOf({ state, frame, now }: ConsoleContext) {
  return contentSize(state, frame.bodySize(), now());
}

/** @param words names of a deployment and a replica, or a filter; each is optional */
export function showLog({ store, state: before, log }: ConsoleContext, words: string): undefined {
  const { state, rest } = selectNamed(before, words);
  const named = shownReplicas(state)
    .map(({ replica }) => replica)
    .find((id) => [id, shortReplica(id)].includes(rest));
  const selected = state.pane === "replicas" ? selectedReplica(state)?.replica : undefined;
  const isText = rest !== "" && named === undefined;
  log.setFilters({ replica: named ?? selected, ...(isText && { text: rest }) });
  store.update({ ...state, pane: "logs", details: undefined });
}

export function nextStream({ log }: ConsoleContext): undefined {
  log.nextStream();
}

export function wrapLog({ store, state }: ConsoleContext): undefined {
  store.update({ isWrapped: !state.isWrapped });
}

export async function pageLog({ frame, log }: ConsoleContext): Promise<undefined> {
  const lines = log.shownLines().map((line) => showControls(logLineText(line)));
  await frame.page(`${lines.join("\n")}\n`);
}

export async function retry({ feed }: ConsoleContext): Promise<undefined> {
  await feed.refresh();
}

export async function startServer({ frame, feed }: ConsoleContext): Promise<string> {
  frame.notify("Starting the control plane");
  const { baseUrl } = await feed.server.start();
  await feed.refresh();
  return `The control plane is running at ${baseUrl}`;
}

export async function chooseServer({ cloud, frame, feed }: ConsoleContext): Promise<undefined> {
  const targets = await cloud.targets();
  const choices = targets.map(({ profile, place }) => {
    return { value: profile, title: profile, note: place };
  });
  const chosen = await frame.choose("Server", choices);
  if (chosen !== undefined && chosen !== feed.server.target.profile) feed.turnTo(chosen);
}
