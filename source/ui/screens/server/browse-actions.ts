// Actions for browsing the request log: filter, pause, select, open, scroll.

import type { RequestView } from "../../../client/requests.ts";
import { panelInnerWidth } from "../../components/panel.tsx";
import { createEditorState, type EditorState } from "../../editor/editor-state.ts";
import { fieldWith } from "../../editor/line-field.ts";
import type { FrameServices } from "../../frame/screen.ts";
import type { Store } from "../../hooks/store.ts";
import { keyOf } from "../../live/request-feed.ts";
import type { Glyphs } from "../../theme.ts";
import {
  askedModels,
  changeFilters,
  currentRequest,
  type ListedRequests,
  type ListFilters,
  listRequests,
  moveSelection,
  nextStatusClass,
  noFilters,
  type ReadFilter,
} from "./request-list.ts";
import { type DetailTexts, requestLines, requestText } from "./request-text.ts";
import { detailHeight, serverLayout } from "./server-layout.ts";
import { type ReadRequest, type ServerSources, type ServerState, textsOf } from "./server-state.ts";

export interface BrowseActionsOptions {
  readonly store: Store<ServerState>;
  readonly feed: ServerSources["feed"];
  readonly readTexts: (view: RequestView) => Promise<DetailTexts>;
  readonly readFilter: ReadFilter;
  readonly frame: Pick<FrameServices, "bodySize" | "choose" | "page">;
  readonly glyphs: Glyphs;
  /** Rows of the banner above everything else. */
  readonly bannerRows: () => number;
}

export class BrowseActions {
  readonly #options: BrowseActionsOptions;

  constructor(options: BrowseActionsOptions) {
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
    this.#filter({ text: field.text }, { field });
  }

  closeField(isKept: boolean): undefined {
    const { filters, textBefore } = this.#options.store.get();
    this.#filter({ text: isKept ? filters.text : textBefore }, { field: undefined });
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
    const chosen = await frame.choose("Requests to", [
      { value: all, title: "all models" },
      ...askedModels(feed.get()).map((name) => ({ value: name, title: name })),
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

  toggleWrap(): undefined {
    const { store } = this.#options;
    store.update({ isWrapped: !store.get().isWrapped });
  }

  /** Opens a request in full. */
  open(view: RequestView): undefined {
    // New requests must not take the place of the one that is read: it stays selected.
    this.#options.store.update({ opened: view, top: 0, selectedKey: keyOf(view) });
    void this.#read(view);
  }

  close(): undefined {
    this.#options.store.update({ opened: undefined });
  }

  /** Selects another row, or scrolls an open request. */
  move(rows: number): undefined {
    const { store } = this.#options;
    const { opened } = store.get();
    if (opened === undefined) store.update(moveSelection(this.listed, rows));
    else this.#scroll(opened, rows);
  }

  movePage(direction: -1 | 1): undefined {
    const { store, frame, bannerRows } = this.#options;
    const size = frame.bodySize();
    const rows =
      store.get().opened === undefined
        ? serverLayout(size, bannerRows(), this.listed.selected !== undefined).requestRows
        : detailHeight(size, bannerRows());
    this.move(direction * Math.max(1, rows - 1));
  }

  /** Reads an open request again once it has ended: only then its texts are whole. */
  refresh(): void {
    const { store, feed } = this.#options;
    const { opened, read } = store.get();
    if (opened === undefined || read?.key !== keyOf(opened)) return;
    const view = currentRequest(feed.get(), opened);
    if (view.state !== read.state) void this.#read(view);
  }

  async page(view: RequestView): Promise<undefined> {
    const { store, frame, glyphs } = this.#options;
    const known = textsOf(store.get().read, view);
    const texts = known.kind === "reading" ? await this.#read(view) : known;
    await frame.page(requestText(view, texts, glyphs));
    return undefined;
  }

  #filter(change: Partial<ListFilters>, more: Partial<ServerState> = {}): void {
    const { store, readFilter } = this.#options;
    store.update({ ...changeFilters(store.get(), change, readFilter), ...more });
  }

  #scroll(opened: RequestView, rows: number): void {
    const { store, feed, frame, glyphs, bannerRows } = this.#options;
    const { read, top, isWrapped } = store.get();
    const view = currentRequest(feed.get(), opened);
    const size = frame.bodySize();
    const options = { width: panelInnerWidth(size.columns), glyphs, isWrapped };
    const lines = requestLines(view, textsOf(read, view), options);
    const last = Math.max(0, lines.length - detailHeight(size, bannerRows()));
    store.update({ top: Math.min(last, Math.max(0, top + rows)) });
  }

  async #read(view: RequestView): Promise<DetailTexts> {
    const { store, readTexts } = this.#options;
    const before = textsOf(store.get().read, view);
    const reading: ReadRequest = { key: keyOf(view), state: view.state, texts: before };
    store.update({ read: reading });
    const texts = await readTexts(view);
    if (store.get().read === reading) store.update({ read: { ...reading, texts } });
    return texts;
  }
}
