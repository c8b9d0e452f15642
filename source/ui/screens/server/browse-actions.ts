// Actions for browsing the request log: filter, pause, select, open, scroll.

import { keyOf } from "../../../client/live/request-feed.ts";
import type { RequestRecord } from "../../../request-log/request-record.ts";
import { openedField } from "../../components/list-state.ts";
import type { EditorState } from "../../editor/editor-state.ts";
import {
  changeFilters,
  currentRequest,
  type ListFilters,
  moveSelection,
  nextStatusClass,
  noFilters,
  requestedModels,
  rowAt,
} from "./request-list.ts";
import { requestText } from "./request-text.ts";
import { type ReadRequest, type ServerContext, type ServerState, textsOf } from "./server-state.ts";

export type BrowseContext = Pick<
  ServerContext,
  "store" | "state" | "feed" | "listed" | "extent" | "readTexts" | "readFilter" | "frame"
>;

export function openField({ store, state }: BrowseContext): undefined {
  store.update({ field: openedField(state.filters.text) });
}

/** Edits the open field; the rows change at once. */
export function editField(
  context: BrowseContext,
  edit: (field: EditorState) => EditorState,
): undefined {
  const { field } = context.state;
  if (field === undefined) return;
  const editor = edit(field.editor);
  filter(context, { text: editor.text }, { field: { ...field, editor } });
}

export function keepFilter({ store }: BrowseContext): undefined {
  store.update({ field: undefined });
}

export function dropFilter(context: BrowseContext): undefined {
  filter(context, { text: context.state.field?.before ?? "" }, { field: undefined });
}

export function clearFilters(context: BrowseContext): undefined {
  filter(context, noFilters);
}

export function nextStatus(context: BrowseContext): undefined {
  filter(context, { status: nextStatusClass(context.state.filters.status) });
}

export async function chooseModel(context: BrowseContext): Promise<undefined> {
  const { feed, frame } = context;
  const all = "";
  const chosen = await frame.choose("Show requests for", [
    { value: all, title: "all models" },
    ...requestedModels(feed.get()).map((name) => ({ value: name, title: name })),
  ]);
  if (chosen !== undefined) filter(context, { model: chosen === all ? undefined : chosen });
}

export function togglePause({ store, state, feed }: BrowseContext): undefined {
  store.update({ frozen: state.frozen === undefined ? feed.get() : undefined });
}

export function toggleOwnRequests({ store, state }: BrowseContext): string {
  const showsOwn = !state.showsOwn;
  store.update({ showsOwn });
  return showsOwn ? "Showing modelctl's own requests" : "Hiding modelctl's own requests";
}

export function toggleTime({ store, state }: BrowseContext): undefined {
  store.update({ isRelative: !state.isRelative });
}

export function toggleWrap({ store, state }: BrowseContext): undefined {
  store.update({ isWrapped: !state.isWrapped });
}

export function openRequest(context: BrowseContext, view: RequestRecord): undefined {
  // Keeps it selected while new requests arrive.
  context.store.update({ opened: view, top: 0, selection: rowAt(view) });
  void read(context, view);
}

export function closeRequest({ store }: BrowseContext): undefined {
  store.update({ opened: undefined });
}

/** Selects another row, or scrolls an open request. */
export function move({ store, state, listed, extent }: BrowseContext, rows: number): undefined {
  const top = Math.min(extent.current.lastTop, Math.max(0, state.top + rows));
  store.update(state.opened === undefined ? moveSelection(listed, rows) : { top });
}

export function movePage(context: BrowseContext, pages: number): undefined {
  move(context, pages * Math.max(1, context.extent.current.rows - 1));
}

/** Reads an open request again when it has ended and its texts are complete. */
export function refresh(context: BrowseContext): void {
  const { opened, read: before } = context.state;
  if (opened === undefined || before?.key !== keyOf(opened)) return;
  const view = currentRequest(context.feed.get(), opened);
  if (view.state !== before.state) void read(context, view);
}

/** Opens the whole request in the pager. */
export async function pageRequest(context: BrowseContext, view: RequestRecord): Promise<undefined> {
  const known = textsOf(context.state.read, view);
  const texts = known.kind === "loading" ? await read(context, view) : known;
  await context.frame.page(requestText(view, texts));
}

function filter(
  { store, state, readFilter }: BrowseContext,
  change: Partial<ListFilters>,
  more: Partial<ServerState> = {},
): void {
  store.update({ ...changeFilters(state, change, readFilter), ...more });
}

async function read({ store, state, readTexts }: BrowseContext, view: RequestRecord) {
  const reading: ReadRequest = {
    key: keyOf(view),
    state: view.state,
    texts: textsOf(state.read, view),
  };
  store.update({ read: reading });
  const texts = await readTexts(view);
  if (store.get().read === reading) store.update({ read: { ...reading, texts } });
  return texts;
}
