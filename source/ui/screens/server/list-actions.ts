// What keys do to the list of requests: filters, pause, selection.

import { createEditorState, type EditorState } from "../../editor/editor-state.ts";
import { fieldWith } from "../../editor/line-field.ts";
import type { FrameServices } from "../../frame/screen.ts";
import type { Store } from "../../state/store.ts";
import {
  askedModels,
  changeFilters,
  type ListedRequests,
  type ListFilters,
  listRequests,
  moveSelection,
  nextStatusClass,
  noFilters,
  type ReadFilter,
} from "./request-list.ts";
import type { ServerSources, ServerState } from "./server-state.ts";

export interface ListActionsOptions {
  readonly store: Store<ServerState>;
  readonly feed: ServerSources["feed"];
  readonly readFilter: ReadFilter;
  readonly frame: Pick<FrameServices, "choose">;
  /** Requests that the table shows at a time. */
  readonly pageRows: () => number;
}

export class ListActions {
  readonly #options: ListActionsOptions;

  constructor(options: ListActionsOptions) {
    this.#options = options;
  }

  get listed(): ListedRequests {
    const { store, feed } = this.#options;
    return listRequests(store.get(), feed.get());
  }

  openField(): undefined {
    const { store } = this.#options;
    const { text } = store.get().filters;
    store.update({ textBefore: text, field: fieldWith(createEditorState(), text) });
  }

  /** Changes the field that is open; the rows follow at once. */
  editField(edit: (field: EditorState) => EditorState): undefined {
    const { store } = this.#options;
    const before = store.get().field;
    if (before === undefined) return;
    const field = edit(before);
    store.update({ field });
    this.#filter({ text: field.text });
  }

  closeField(isKept: boolean): undefined {
    const { store } = this.#options;
    if (!isKept) this.#filter({ text: store.get().textBefore });
    store.update({ field: undefined });
  }

  clearFilters(): undefined {
    this.#filter(noFilters);
  }

  nextStatus(): undefined {
    this.#filter({ status: nextStatusClass(this.#options.store.get().filters.status) });
  }

  async chooseModel(): Promise<undefined> {
    const { feed, frame } = this.#options;
    const all = "";
    const names = askedModels(feed.get());
    const chosen = await frame.choose("Requests to", [
      { value: all, title: "all models" },
      ...names.map((name) => ({ value: name, title: name })),
    ]);
    if (chosen !== undefined) this.#filter({ model: chosen === all ? undefined : chosen });
    return undefined;
  }

  togglePause(): undefined {
    const { store, feed } = this.#options;
    store.update({ frozen: store.get().frozen === undefined ? feed.get() : undefined });
  }

  toggleTime(): undefined {
    const { store } = this.#options;
    store.update({ isRelative: !store.get().isRelative });
  }

  move(rows: number): undefined {
    this.#options.store.update(moveSelection(this.listed, rows));
  }

  movePage(direction: -1 | 1): undefined {
    this.move(direction * Math.max(1, this.#options.pageRows() - 1));
  }

  #filter(change: Partial<ListFilters>): void {
    const { store, readFilter } = this.#options;
    store.update(changeFilters(store.get(), change, readFilter));
  }
}
