// What keys do to the view: which model is selected, which list is shown, how it is filtered, and
// what is tried out for the estimate.

import type { EditorState } from "../../editor/editor-state.ts";
import type { BodySize } from "../../frame/screen.ts";
import { fieldWith } from "../../panes/text-field.ts";
import type { Store } from "../../state/store.ts";
import { nextCacheType, nextWindow } from "./memory-estimate.ts";
import { entriesOf, type LocalEntry, selectedIndex } from "./model-entries.ts";
import type { ModelReader } from "./model-reader.ts";
import type { ListStep, ModelsSituation, ViewActions } from "./models-actions.ts";
import { lastCardTop, type PictureLook } from "./models-picture.ts";
import { type ModelsState, sortOrders, sources, withList } from "./models-state.ts";

export interface NavigationOptions {
  readonly store: Store<ModelsState>;
  readonly reader: ModelReader;
  readonly situation: () => ModelsSituation;
  readonly size: () => BodySize;
  readonly look: () => PictureLook;
}

export class ListNavigation implements ViewActions {
  readonly #options: NavigationOptions;

  constructor(options: NavigationOptions) {
    this.#options = options;
  }

  move(step: ListStep): void {
    if (this.#state.pane === "card" && !this.#state.isTyping) {
      this.#scrollCard(step);
      return;
    }
    const { source } = this.#state;
    const entries = entriesOf(this.#state, source);
    const at = selectedIndex(this.#state, entries);
    const wanted = stepped(
      at,
      step,
      entries.length - 1,
      Math.max(1, this.#options.size().rows - 8),
    );
    const name = entries[Math.min(entries.length - 1, Math.max(0, wanted))]?.entry.name;
    if (name === undefined) return;
    this.#update(withList(this.#state, source, { selected: name }));
    this.#options.reader.showCard();
  }

  changeSource(step: -1 | 1): void {
    const at = sources.indexOf(this.#state.source) + step;
    const source = sources[(at + sources.length) % sources.length];
    if (source === undefined) return;
    this.#update({ source, pane: "list", cardTop: 0 });
    this.#options.reader.showCard();
    const { hub } = this.#state;
    const isFirst = hub.value === undefined && hub.waitingSinceMs === undefined;
    if (source === "hub" && isFirst) this.#options.reader.searchHub(false);
  }

  openFilter(): void {
    this.#update({ isTyping: true, pane: "list" });
  }

  keepFilter(): void {
    this.#update({ isTyping: false });
    this.#options.reader.showCard();
  }

  back(): void {
    const { pane, isTyping } = this.#state;
    if (pane === "card" && !isTyping) {
      this.#update({ pane: "list" });
      return;
    }
    this.editFilter((field) => fieldWith(field, ""));
    this.#update({ isTyping: false });
  }

  changePane(): void {
    this.#update({ pane: this.#state.pane === "list" ? "card" : "list" });
  }

  changeSort(): void {
    const { source, lists } = this.#state;
    const orders: readonly string[] = sortOrders[source];
    const at = orders.indexOf(lists[source].sort);
    const sort = orders[(at + 1) % orders.length];
    if (sort === undefined) return;
    this.#update(withList(this.#state, source, { sort }));
    if (source === "hub") this.#options.reader.searchHub(false);
  }

  changeWindow(step: -1 | 1 | undefined): void {
    const { choice } = this.#state;
    if (step === undefined) {
      this.#update({ choice: { contextLength: undefined, cacheType: undefined } });
      return;
    }
    const estimate = this.#local?.estimate;
    const current = choice.contextLength ?? estimate?.contextLength;
    if (current === undefined) return;
    // Beyond what the model was trained for nothing changes any more.
    const trained = this.#local?.model?.memory?.trainedContextLength ?? 0;
    const contextLength = nextWindow(Math.min(current, trained || current), step);
    this.#update({ choice: { ...choice, contextLength } });
  }

  changeCacheType(): void {
    const { choice } = this.#state;
    const current = this.#local?.estimate?.cacheType ?? "f16";
    this.#update({ choice: { ...choice, cacheType: nextCacheType(current) } });
  }

  /** Changes the text of the filter; on the hub, its letters are searched for. */
  editFilter(edit: (field: EditorState) => EditorState): void {
    const { source, lists } = this.#state;
    const filter = edit(lists[source].filter);
    const isOther = filter.text !== lists[source].filter.text;
    // The best match is the one that is looked at.
    this.#update(
      withList(this.#state, source, { filter, ...(isOther && { selected: undefined }) }),
    );
    if (!isOther) return;
    if (source === "hub") this.#options.reader.searchHub(true);
    this.#options.reader.showCard();
  }

  get #state(): ModelsState {
    return this.#options.store.get();
  }

  get #local(): LocalEntry | undefined {
    const { entry } = this.#options.situation();
    return entry?.kind === "local" ? entry : undefined;
  }

  #update(change: Partial<ModelsState>): void {
    this.#options.store.update(change);
  }

  #scrollCard(step: ListStep): void {
    const size = this.#options.size();
    const last = lastCardTop(this.#state, size, this.#options.look());
    const wanted = stepped(this.#state.cardTop, step, last, Math.max(1, size.rows - 3));
    this.#update({ cardTop: Math.min(last, Math.max(0, wanted)) });
  }
}

function stepped(at: number, step: ListStep, last: number, pageRows: number): number {
  switch (step.kind) {
    case "rows":
      return at + step.delta;
    case "pages":
      return at + step.delta * pageRows;
    case "edge":
      return step.edge === "first" ? 0 : last;
  }
}
