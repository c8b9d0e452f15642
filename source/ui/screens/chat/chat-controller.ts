// What happens on a key, a paste or a command: the one place that changes the state of the screen.

import { describeError } from "../../../base/product-error.ts";
import { reduceEditor } from "../../editor/editor-reducer.ts";
import type { EditorAction } from "../../editor/editor-state.ts";
import { ChatChoices, type ChatChoicesOptions } from "./chat-choices.ts";
import { editorWidth } from "./chat-layout.ts";
import type { ChatState } from "./chat-state.ts";
import type { CommandContext } from "./commands/command.ts";
import { parseLine } from "./commands/command-table.ts";
import { choicesText, completeTyped } from "./composer/complete-typed.ts";
import {
  entryFound,
  type HistorySearchAction,
  reduceHistorySearch,
  startHistorySearch,
} from "./composer/history-search.ts";
import type { PromptHistoryFile } from "./composer/prompt-history.ts";
import { PromptSender } from "./composer/prompt-sender.ts";
import type { ChatActions } from "./conversation/chat-actions.ts";
import { type ScrollRequest, scroll } from "./transcript/transcript-window.ts";

/** A second key within this time means more: Ctrl+C leaves, Esc edits the last question. */
const secondPressMs = 2000;
/** Longer prompts are not kept in the history. */
const longestHistoryEntry = 64 * 1024;

export interface ChatControllerOptions extends ChatChoicesOptions {
  readonly historyFile: PromptHistoryFile | undefined;
  readonly examplePrompts: readonly string[];
}

export class ChatController extends ChatChoices implements CommandContext {
  readonly #options: ChatControllerOptions;
  readonly #sender: PromptSender;
  #interruptedAtMs = -Infinity;
  #escapedAtMs = -Infinity;

  constructor(options: ChatControllerOptions) {
    super(options);
    this.#options = options;
    const { store, session, backend, actions } = options;
    this.#sender = new PromptSender({
      store,
      session,
      backend,
      folder: actions.folder,
      shelve: (typed) => this.#shelve(typed),
      notify: (sentence) => this.notify(sentence),
    });
  }

  get actions(): ChatActions {
    return this.#options.actions;
  }

  get #state(): ChatState {
    return this.#options.store.get();
  }

  /** Takes typed or pasted text: one insertion that never sends. */
  insert(text: string): void {
    this.clearNotice();
    if (this.#state.search !== undefined) this.search({ type: "type", text });
    else this.edit({ type: "insert", text });
  }

  /** The sentence was read: a key has been pressed. */
  clearNotice(): void {
    if (this.#state.notice !== undefined) this.#options.store.update({ notice: undefined });
  }

  edit(action: EditorAction): void {
    this.#options.store.update({ editor: reduceEditor(this.#state.editor, action) });
  }

  moveRow(direction: -1 | 1): void {
    this.edit({ type: "moveRow", direction, width: editorWidth(this.#options.size().columns) });
  }

  async complete(): Promise<void> {
    const { text, cursor } = this.#state.editor;
    const { examplePrompts, actions, frame } = this.#options;
    const sources = { folder: actions.folder, slashNames: frame.slashNames() };
    const completion = await completeTyped(text, cursor, sources);
    // Somebody typed on meanwhile.
    if (this.#state.editor.text !== text) return;
    if (completion !== undefined) {
      this.edit({ type: "setText", text: completion.text, cursor: completion.cursor });
      if (completion.choices.length > 0) this.notify(choicesText(completion.choices));
      return;
    }
    const shown = examplePrompts.indexOf(text);
    if (this.#state.entries.length > 0) this.startReading();
    else if (text === "" || shown !== -1) {
      const example = examplePrompts[(shown + 1) % examplePrompts.length];
      if (example !== undefined) this.edit({ type: "replace", text: example });
    }
  }

  submit(): void {
    const typed = this.#state.editor.text;
    if (this.#continueAfterBackslash()) return;
    const line = parseLine(typed);
    switch (line.kind) {
      case "blank":
        return;
      case "open":
        this.edit({ type: "newline" });
        return;
      case "unknown":
        if (this.#options.frame.runSlash(typed)) this.#shelve(typed);
        else this.notify(line.sentence);
        return;
      case "command":
        if (this.#isRefusedWhileBusy(line.command.isAllowedWhileBusy ?? false)) return;
        this.#runTyped(typed, () => line.command.run(this, line.argument));
        return;
      case "message":
        if (!this.#isRefusedWhileBusy(false)) this.#sender.send(line.text, typed);
    }
  }

  async openEditor(): Promise<string | undefined> {
    const { text } = this.#state.editor;
    const saved = await this.#options.frame.edit(text, "md");
    // Editors end a file with a line break.
    if (saved !== undefined) this.edit({ type: "replace", text: saved.replace(/\r?\n$/, "") });
    return undefined;
  }

  startSearch(): void {
    this.#options.store.update({ search: startHistorySearch(this.#state.editor.text) });
  }

  search(action: HistorySearchAction): void {
    const { search, editor } = this.#state;
    if (search === undefined) return;
    const next = reduceHistorySearch(search, action, editor.history);
    this.#options.store.update({ search: next });
  }

  endSearch(isKept: boolean): void {
    const { search, editor } = this.#state;
    if (search === undefined) return;
    this.#options.store.update({ search: undefined });
    const found = entryFound(search, editor.history);
    if (isKept && found !== "") this.edit({ type: "replace", text: found });
  }

  stop(): void {
    const hadText = this.#state.entries.some(
      (entry) => entry.kind === "assistant" && entry.state === "running" && entry.text !== "",
    );
    this.#options.session.stop();
    if (!hadText) this.notify("Stopped before the answer began; your message is back");
  }

  interrupt(): void {
    const nowMs = this.#options.clock.now();
    const isSecond = nowMs - this.#interruptedAtMs <= secondPressMs;
    this.#interruptedAtMs = nowMs;
    if (isSecond) {
      this.#options.frame.leave("interrupted");
      return;
    }
    if (this.#options.session.isBusy) this.stop();
    // The dropped line can be had back with Up.
    else if (this.#state.editor.text !== "") this.edit({ type: "shelve" });
    this.notify("Ctrl+C again leaves (as do Ctrl+D and /bye)");
  }

  escape(): void {
    const nowMs = this.#options.clock.now();
    const isSecond = nowMs - this.#escapedAtMs <= secondPressMs;
    this.#escapedAtMs = isSecond ? -Infinity : nowMs;
    if (!isSecond) {
      this.notify("Esc again writes your last question anew");
      return;
    }
    const problem = this.editLast();
    if (problem !== undefined) this.notify(problem);
  }

  leave(): void {
    this.#options.frame.leave("bye");
  }

  scroll(request: ScrollRequest): void {
    const { model, size, store } = this.#options;
    const { transcriptRows } = model.layout(this.#state, size());
    const transcript = model.transcript(this.#state, size());
    store.update({ viewport: scroll(this.#state.viewport, request, transcript, transcriptRows) });
  }

  openHelp(): void {
    this.#options.frame.help();
  }

  /** A backslash before the cursor turns Enter into a line break, for terminals with few keys. */
  #continueAfterBackslash(): boolean {
    const { text, cursor } = this.#state.editor;
    if (text[cursor - 1] !== "\\") return false;
    this.edit({ type: "deleteBackward" });
    this.edit({ type: "newline" });
    return true;
  }

  #isRefusedWhileBusy(isAllowed: boolean): boolean {
    if (isAllowed || !this.#options.session.isBusy) return false;
    this.notify("Still answering: wait or Esc");
    return true;
  }

  /** The line leaves the field at once; where it could not be done it comes back. */
  #runTyped(typed: string, run: () => string | undefined | Promise<string | undefined>): void {
    const settle = (sentence: string | undefined): void => {
      if (sentence === undefined) return;
      this.notify(sentence);
      this.edit({ type: "restore", text: typed });
    };
    this.#shelve(typed);
    try {
      const outcome = run();
      if (outcome instanceof Promise) {
        outcome.then(settle, (error: unknown) => settle(describeError(error)));
      } else settle(outcome);
    } catch (error) {
      settle(describeError(error));
    }
  }

  #shelve(typed: string): void {
    this.edit({ type: "shelve" });
    const isKept = this.#state.settings.keepsHistory !== false;
    if (!isKept || typed.length > longestHistoryEntry) return;
    this.#options.historyFile?.append(typed).catch((error: unknown) => {
      this.notify(`The prompt history could not be saved: ${describeError(error)}`);
    });
  }
}
