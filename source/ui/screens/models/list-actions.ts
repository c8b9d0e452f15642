// Actions on the view: the selection, the source, the filter, the card, and the load options that
// the estimate follows.

import type { EditorState } from "../../editor/editor-state.ts";
import { fieldWith } from "../../editor/line-field.ts";
import type { FrameServices } from "../../frame/screen.ts";
import type { Store } from "../../hooks/store.ts";
import { nextCacheType, nextWindow } from "./estimate.ts";
import { entriesOf, type LocalEntry, selectedEntry, selectedIndex } from "./model-entries.ts";
import type { ModelsFeed } from "./models-feed.ts";
import { type ModelsState, sortOrders, sources, withList } from "./models-state.ts";

export type ListStep =
  | { readonly kind: "rows"; readonly delta: number }
  | { readonly kind: "pages"; readonly delta: -1 | 1 }
  | { readonly kind: "edge"; readonly edge: "first" | "last" };

export interface ListActionsOptions {
  readonly store: Store<ModelsState>;
  readonly feed: ModelsFeed;
  readonly frame: Pick<FrameServices, "bodySize">;
}

/** Rows of the body that are no rows of the list: borders, source bar, header, legend. */
const listFrameRows = 8;
/** The borders of the card, and a row that stays in sight from one page to the next. */
const cardFrameRows = 3;

export class ListActions {
  readonly #options: ListActionsOptions;
  #lastCardTop = 0;

  constructor(options: ListActionsOptions) {
    this.#options = options;
  }

  /** Moves the selection, or scrolls the card while that has the focus. */
  move(step: ListStep): void {
    const { pane, isTyping, source, cardTop } = this.#state;
    const { rows } = this.#options.frame.bodySize();
    if (pane === "card" && !isTyping) {
      const top = Math.min(cardTop, this.#lastCardTop);
      this.#update({ cardTop: stepped(top, step, this.#lastCardTop, rows - cardFrameRows) });
      return;
    }
    const entries = entriesOf(this.#state, source);
    const selected = selectedIndex(this.#state, entries);
    const wanted = stepped(selected, step, entries.length - 1, rows - listFrameRows);
    const name = entries[wanted]?.entry.name;
    if (name === undefined) return;
    this.#update(withList(this.#state, source, { selected: name }));
    this.#options.feed.readCard();
  }

  /** Notes the last row that the card, as it is drawn, scrolls to. */
  readonly setCardExtent = (lastTop: number): void => {
    this.#lastCardTop = lastTop;
  };

  changeSource(step: -1 | 1): void {
    const at = sources.indexOf(this.#state.source) + step;
    const source = sources[(at + sources.length) % sources.length];
    if (source === undefined) return;
    this.#update({ source, pane: "list", cardTop: 0 });
    this.#options.feed.readCard();
    const { hub } = this.#state;
    const isFirst = hub.value === undefined && hub.waitingSinceMs === undefined;
    if (source === "hub" && isFirst) this.#options.feed.searchHub();
  }

  openFilter(): void {
    this.#update({ isTyping: true, pane: "list" });
  }

  /** Leaves the field; the list stays filtered. */
  keepFilter(): void {
    this.#update({ isTyping: false });
    this.#options.feed.readCard();
  }

  /** Leaves the card, or else clears the filter. */
  back(): void {
    const { pane, isTyping } = this.#state;
    if (pane === "card" && !isTyping) {
      this.#update({ pane: "list" });
      return;
    }
    this.editFilter((field) => fieldWith(field, ""));
    this.#update({ isTyping: false });
  }

  /** Selects the best match, and on the hub searches for the new text. */
  editFilter(edit: (field: EditorState) => EditorState): void {
    const { source, lists } = this.#state;
    const filter = edit(lists[source].filter);
    const isOther = filter.text !== lists[source].filter.text;
    this.#update(
      withList(this.#state, source, { filter, ...(isOther && { selected: undefined }) }),
    );
    if (!isOther) return;
    if (source === "hub") this.#options.feed.searchHubSoon();
    this.#options.feed.readCard();
  }

  changePane(): void {
    this.#update({ pane: this.#state.pane === "list" ? "card" : "list" });
  }

  changeSort(): void {
    const { source, lists } = this.#state;
    const orders: readonly string[] = sortOrders[source];
    const sort = orders[(orders.indexOf(lists[source].sort) + 1) % orders.length];
    if (sort === undefined) return;
    this.#update(withList(this.#state, source, { sort }));
    if (source === "hub") this.#options.feed.searchHub();
  }

  /** Takes the next longer or shorter context window. */
  changeWindow(step: -1 | 1): void {
    const { choice } = this.#state;
    const local = this.#local;
    const current = choice.contextLength ?? local?.estimate?.contextLength;
    if (current === undefined) return;
    // The estimate ends at the trained length: the first step back counts from there.
    const trained = local?.model?.memory?.trainedContextLength || current;
    const contextLength = nextWindow(Math.min(current, trained), step);
    this.#update({ choice: { ...choice, contextLength } });
  }

  changeCacheType(): void {
    const current = this.#local?.estimate?.cacheType ?? "f16";
    this.#update({ choice: { ...this.#state.choice, cacheType: nextCacheType(current) } });
  }

  /** Leaves window and KV cache to the server. */
  resetChoice(): void {
    this.#update({ choice: { contextLength: undefined, cacheType: undefined } });
  }

  /** Reads the list and the card again. */
  async refresh(): Promise<undefined> {
    const { feed } = this.#options;
    if (this.#state.source === "hub") feed.searchHub();
    await feed.refresh();
    feed.readCard();
  }

  get #state(): ModelsState {
    return this.#options.store.get();
  }

  get #local(): LocalEntry | undefined {
    const entry = selectedEntry(this.#state);
    return entry?.kind === "local" ? entry : undefined;
  }

  #update(change: Partial<ModelsState>): void {
    this.#options.store.update(change);
  }
}

/** The place after a step, between 0 and `last`. */
function stepped(at: number, step: ListStep, last: number, pageRows: number): number {
  switch (step.kind) {
    case "rows":
      return Math.min(last, Math.max(0, at + step.delta));
    case "pages":
      return Math.min(last, Math.max(0, at + step.delta * Math.max(1, pageRows)));
    case "edge":
      return step.edge === "first" ? 0 : last;
  }
}
