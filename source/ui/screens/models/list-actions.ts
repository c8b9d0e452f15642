// Actions on the view: the selection, the source, the filter, the card, and the load options that
// the estimate follows.

import type { Clock } from "../../../base/clock.ts";
import type { Store } from "../../../base/store.ts";
import type { ApiClient } from "../../../client/api-client.ts";
import { nextCacheType, nextWindow } from "../../../client/memory-estimate.ts";
import { firstRow, movedSelection } from "../../components/list-state.ts";
import type { EditorState } from "../../editor/editor-state.ts";
import { fieldWith } from "../../editor/line-field.ts";
import type { FrameServices } from "../../frame/screen.ts";
import { entriesOf, type ModelEntry, namesOf } from "./model-entries.ts";
import type { ModelsFeed } from "./models-feed.ts";
import { type ModelsState, sortOrders, sources, withList } from "./models-state.ts";

/** Context of the screen's commands. */
export interface ModelsContext {
  /** The current server: it may change after a disconnect. */
  readonly client: () => ApiClient;
  readonly clock: Clock;
  readonly frame: FrameServices;
  readonly store: Store<ModelsState>;
  readonly feed: ModelsFeed;
  readonly state: ModelsState;
  /** The selected one. */
  readonly entry: ModelEntry | undefined;
  /** The last row that the drawn card scrolls to. */
  lastCardTop: number;
  /** Running loads and pulls, by `nameKey`. */
  readonly loads: Map<string, AbortController>;
  readonly pulls: Map<string, AbortController>;
  /** Modelfiles whose creation failed or was cancelled, by the model that they began with. */
  readonly drafts: Map<string, string>;
  /** Aborts when the program ends. */
  readonly closing: AbortSignal;
}

/** Rows of the body outside the list: borders, source bar, header, legend. */
const listFrameRows = 8;
/** The borders of the card, and a row that two pages share. */
const cardFrameRows = 3;

const isInCard = ({ pane, isTyping }: ModelsState) => pane === "card" && !isTyping;

/** Moves the selection, or scrolls the card if it has the focus. */
export function move(context: ModelsContext, rows: number): undefined {
  const { store, state, feed } = context;
  if (isInCard(state)) {
    const last = context.lastCardTop;
    const cardTop = Math.max(0, Math.min(last, Math.min(state.cardTop, last) + rows));
    store.update({ cardTop });
    return;
  }
  const entries = entriesOf(state, state.source);
  if (entries.length === 0) return;
  const before = state.lists[state.source].selected;
  const selected = movedSelection(before, namesOf(entries), rows);
  store.update(withList(state, state.source, { selected }));
  feed.readCard();
}

export function movePage(context: ModelsContext, direction: -1 | 1): undefined {
  const { frame, state } = context;
  const rows = frame.bodySize().rows - (isInCard(state) ? cardFrameRows : listFrameRows);
  move(context, direction * Math.max(1, rows));
}

export function changeSource({ store, state, feed }: ModelsContext, step: -1 | 1): undefined {
  const at = sources.indexOf(state.source) + step;
  const source = sources[(at + sources.length) % sources.length];
  if (source === undefined) return;
  store.update({ source, pane: "list", cardTop: 0 });
  feed.readCard();
  const { value, wait } = state.hub;
  if (source === "hub" && value === undefined && wait === undefined) feed.searchHub();
}

export function openFilter({ store }: ModelsContext): undefined {
  store.update({ isTyping: true, pane: "list" });
}

/** Closes the field; the list stays filtered. */
export function keepFilter({ store, feed }: ModelsContext): undefined {
  store.update({ isTyping: false });
  feed.readCard();
}

/** Returns to the list, or clears the filter. */
export function goBack(context: ModelsContext): undefined {
  const { store, state } = context;
  if (isInCard(state)) {
    store.update({ pane: "list" });
    return;
  }
  editFilter(context, (field) => fieldWith(field, ""));
  store.update({ isTyping: false });
}

/** Selects the best match, and on the hub searches for the new text. */
export function editFilter(
  { store, state, feed }: ModelsContext,
  edit: (field: EditorState) => EditorState,
): undefined {
  const { source, lists } = state;
  const filter = edit(lists[source].filter);
  const isOther = filter.text !== lists[source].filter.text;
  store.update(withList(state, source, { filter, ...(isOther && { selected: firstRow }) }));
  if (!isOther) return;
  if (source === "hub") feed.searchHubSoon();
  feed.readCard();
}

export function changePane({ store, state }: ModelsContext): undefined {
  store.update({ pane: state.pane === "list" ? "card" : "list" });
}

export function changeSort({ store, state, feed }: ModelsContext): undefined {
  const { source, lists } = state;
  const orders: readonly string[] = sortOrders[source];
  const sort = orders[(orders.indexOf(lists[source].sort) + 1) % orders.length];
  if (sort === undefined) return;
  store.update(withList(state, source, { sort }));
  if (source === "hub") feed.searchHub();
}

/** Selects the next longer or shorter context window. */
export function changeWindow({ store, state, entry }: ModelsContext, step: -1 | 1): undefined {
  if (entry?.kind !== "local") return;
  const current = state.choice.contextLength ?? entry.estimate?.contextLength;
  if (current === undefined) return;
  // The estimate stops at the trained length, so the first step back starts there.
  const trained = entry.model?.memory?.trainedContextLength || current;
  const contextLength = nextWindow(Math.min(current, trained), step);
  store.update({ choice: { ...state.choice, contextLength } });
}

export function changeCacheType({ store, state, entry }: ModelsContext): undefined {
  const current = entry?.kind === "local" ? entry.estimate?.cacheType : undefined;
  store.update({ choice: { ...state.choice, cacheType: nextCacheType(current ?? "f16") } });
}

/** Leaves window and KV cache to the server. */
export function resetChoice({ store }: ModelsContext): undefined {
  store.update({ choice: { contextLength: undefined, cacheType: undefined } });
}

/** Reads the list and the card again. */
export async function refresh({ state, feed }: ModelsContext): Promise<undefined> {
  if (state.source === "hub") feed.searchHub();
  await feed.refresh();
  feed.readCard();
}
