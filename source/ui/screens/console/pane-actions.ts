// The keys of the panes: moving, filtering, the log, and the server that the console looks at.

import { showControls } from "../../../base/seen-text.ts";
import { panelInnerHeight, panelInnerWidth } from "../../components/panel.tsx";
import { createEditorState, type EditorState } from "../../editor/editor-state.ts";
import { fieldWith } from "../../editor/line-field.ts";
import type { FrameServices } from "../../frame/screen.ts";
import type { Store } from "../../hooks/store.ts";
import type { CloudAccess } from "../cloud-access.ts";
import type { ConsoleFeed } from "./console-feed.ts";
import { contentSize, listRows } from "./console-layout.ts";
import {
  type ConsoleState,
  changePane,
  goBack,
  moveSelection,
  select,
  selectedReplica,
  selectNamed,
  shownReplicas,
} from "./console-state.ts";
import { logLineText, shortReplica } from "./console-texts.ts";
import { detailRows } from "./detail-lines.ts";
import type { LogBuffer } from "./log-buffer.ts";

/** The parts of the console that its actions work on. */
export interface ConsoleContext {
  readonly store: Store<ConsoleState>;
  readonly log: LogBuffer;
  readonly feed: ConsoleFeed;
  readonly frame: FrameServices;
  readonly cloud: CloudAccess;
  /** Only ASCII may be drawn. */
  readonly isAscii: boolean;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export class PaneActions {
  readonly #context: ConsoleContext;

  constructor(context: ConsoleContext) {
    this.#context = context;
  }

  /** Shows a deployment in its table. @param name `local/tiny` */
  selectApp(name: string): void {
    const { store, feed } = this.#context;
    const change = { pane: "apps", filter: "", details: undefined } as const;
    store.update(select({ ...store.get(), ...change }, "apps", { name, index: 0 }));
    void feed.refresh();
  }

  openFilter(): undefined {
    const { store, log } = this.#context;
    const { pane, filter } = store.get();
    const before = pane === "logs" ? log.filters.text : filter;
    store.update({ field: { editor: fieldWith(createEditorState(), before), before } });
  }

  /** Filters while it is typed. */
  editFilter(edit: (editor: EditorState) => EditorState): void {
    const { store } = this.#context;
    const { field } = store.get();
    if (field === undefined) return;
    const editor = edit(field.editor);
    this.#setFilter(editor.text);
    store.update({ field: { ...field, editor } });
  }

  keepFilter(): undefined {
    this.#context.store.update({ field: undefined });
  }

  dropFilter(): undefined {
    this.#setFilter(this.#context.store.get().field?.before ?? "");
    this.keepFilter();
  }

  back(): undefined {
    const { store, log } = this.#context;
    if (clearsLogFilters(store.get(), log)) log.clearFilters();
    else store.update(goBack(store.get()) ?? {});
  }

  changePane(step: -1 | 1): undefined {
    const { store } = this.#context;
    store.update(changePane(store.get(), step));
  }

  zoom(): undefined {
    const { store } = this.#context;
    store.update({ isZoomed: !store.get().isZoomed });
  }

  /** Moves the selection, the log or the details. @param rows down where positive; infinities are the ends */
  move(rows: number): undefined {
    const { store, log } = this.#context;
    const state = store.get();
    if (state.details !== undefined) this.#scrollDetails(rows);
    else if (state.pane === "logs") log.scroll(rows, listRows(state, this.#contentSize()));
    else store.update(moveSelection(state, state.pane, rows));
  }

  movePage(direction: -1 | 1): undefined {
    const state = this.#context.store.get();
    const size = this.#contentSize();
    const page =
      state.details === undefined
        ? listRows(state, size)
        : Math.max(1, panelInnerHeight(size.rows) - 1);
    this.move(direction * page);
  }

  /** @param words a deployment's name, a replica's, a filter: any of them may be left out */
  showLog(words: string): undefined {
    const { store, log } = this.#context;
    const { state, rest } = selectNamed(store.get(), words);
    const named = shownReplicas(state)
      .map(({ replica }) => replica)
      .find((id) => [id, shortReplica(id)].includes(rest));
    const selected = state.pane === "replicas" ? selectedReplica(state)?.replica : undefined;
    const isText = rest !== "" && named === undefined;
    log.setFilters({ replica: named ?? selected, ...(isText && { text: rest }) });
    store.update({ ...state, pane: "logs", details: undefined });
  }

  nextStream(): undefined {
    this.#context.log.nextStream();
  }

  wrapLog(): undefined {
    const { store } = this.#context;
    store.update({ isWrapped: !store.get().isWrapped });
  }

  async pageLog(): Promise<undefined> {
    const { frame, log } = this.#context;
    const lines = log.shownLines().map((line) => showControls(logLineText(line)));
    await frame.page(`${lines.join("\n")}\n`);
  }

  async retry(): Promise<undefined> {
    await this.#context.feed.refresh();
  }

  async startServer(): Promise<string> {
    const { frame, feed } = this.#context;
    frame.notify("Starting the control plane");
    const { baseUrl } = await feed.server.start();
    await feed.refresh();
    return `The control plane runs in the background, at ${baseUrl}`;
  }

  async chooseServer(): Promise<undefined> {
    const { cloud, frame, feed } = this.#context;
    const targets = await cloud.targets();
    const choices = targets.map(({ profile, place }) => ({
      value: profile,
      title: profile,
      note: place,
    }));
    const chosen = await frame.choose("Server", choices);
    if (chosen !== undefined && chosen !== feed.server.target.profile) feed.turnTo(chosen);
  }

  #setFilter(text: string): void {
    const { store, log } = this.#context;
    if (store.get().pane === "logs") log.setFilters({ text });
    else store.update({ filter: text });
  }

  #scrollDetails(rows: number): void {
    const { store, isAscii, now } = this.#context;
    const { details } = store.get();
    if (details === undefined) return;
    const size = this.#contentSize();
    const width = panelInnerWidth(size.columns);
    const count = detailRows(details.facts, { width, now: now(), isAscii }).length;
    const last = Math.max(0, count - panelInnerHeight(size.rows));
    const top = Math.max(0, Math.min(last, details.top + rows));
    store.update({ details: { ...details, top } });
  }

  #contentSize() {
    const { store, frame, now } = this.#context;
    return contentSize(store.get(), frame.bodySize(), now());
  }
}

/** In the log, Esc shows all lines before it closes anything. */
export function clearsLogFilters(state: ConsoleState, log: LogBuffer): boolean {
  return state.pane === "logs" && state.details === undefined && log.hasFilters;
}
