// Actions in the field: editing, completing, searching earlier messages, sending.

import { describeError } from "../../../../base/product-error.ts";
import { reduceEditor } from "../../../editor/editor-reducer.ts";
import type { EditorAction } from "../../../editor/editor-state.ts";
import type { FrameServices } from "../../../frame/screen.ts";
import type { Store } from "../../../hooks/store.ts";
import type { ChatBackend } from "../chat-backend.ts";
import { editorWidth } from "../chat-layout.ts";
import type { ChatState } from "../chat-state.ts";
import type { Command, ComposerControl } from "../commands/command.ts";
import { parseLine } from "../commands/command-table.ts";
import type { ChatSession } from "../conversation/chat-session.ts";
import { choicesText, completeTyped } from "./complete-typed.ts";
import {
  entryFound,
  type HistorySearchAction,
  reduceHistorySearch,
  startHistorySearch,
} from "./history-search.ts";
import type { PromptHistoryFile } from "./prompt-history.ts";
import { PromptSender } from "./prompt-sender.ts";

/** Longer prompts are not kept in the history. */
const longestHistoryEntry = 64 * 1024;

export interface ComposerActionsOptions {
  readonly store: Store<ChatState>;
  readonly session: ChatSession;
  readonly backend: ChatBackend;
  readonly frame: Pick<FrameServices, "edit" | "runSlash" | "slashNames">;
  readonly historyFile: PromptHistoryFile | undefined;
  readonly examplePrompts: readonly string[];
  /** The folder that relative paths start from. */
  readonly folder: string;
  /** Cells of the composer. */
  readonly columns: () => number;
  readonly startReading: () => void;
  /** @returns a sentence when it could not be done */
  readonly runCommand: (
    command: Command,
    argument: string,
  ) => string | undefined | Promise<string | undefined>;
}

export class ComposerActions implements ComposerControl {
  readonly #options: ComposerActionsOptions;
  readonly #sender: PromptSender;

  constructor(options: ComposerActionsOptions) {
    this.#options = options;
    const { store, session, backend, folder } = options;
    this.#sender = new PromptSender({
      store,
      session,
      backend,
      folder,
      shelve: (typed) => this.#shelve(typed),
      notify: (sentence) => this.#notify(sentence),
    });
  }

  get #state(): ChatState {
    return this.#options.store.get();
  }

  /** Takes typed or pasted text: one insertion that never sends. */
  insert(text: string): void {
    if (this.#state.search !== undefined) this.search({ type: "type", text });
    else this.edit({ type: "insert", text });
  }

  edit(action: EditorAction): void {
    this.#options.store.update({ editor: reduceEditor(this.#state.editor, action) });
  }

  moveRow(direction: -1 | 1): void {
    this.edit({ type: "moveRow", direction, width: editorWidth(this.#options.columns()) });
  }

  async complete(): Promise<void> {
    const { text, cursor } = this.#state.editor;
    const { examplePrompts, folder, frame, startReading } = this.#options;
    const completion = await completeTyped(text, cursor, {
      folder,
      slashNames: frame.slashNames(),
    });
    // Somebody typed on meanwhile.
    if (this.#state.editor.text !== text) return;
    if (completion !== undefined) {
      this.edit({ type: "setText", text: completion.text, cursor: completion.cursor });
      if (completion.choices.length > 0) this.#notify(choicesText(completion.choices));
      return;
    }
    const shown = examplePrompts.indexOf(text);
    if (this.#state.entries.length > 0) startReading();
    else if (text === "" || shown !== -1) {
      const example = examplePrompts[(shown + 1) % examplePrompts.length];
      if (example !== undefined) this.edit({ type: "replace", text: example });
    }
  }

  submit(): void {
    const typed = this.#state.editor.text;
    if (this.#continueAfterBackslash()) return;
    const { frame, runCommand } = this.#options;
    const line = parseLine(typed);
    switch (line.kind) {
      case "blank":
        return;
      case "open":
        this.edit({ type: "newline" });
        return;
      case "unknown":
        if (frame.runSlash(typed)) this.#shelve(typed);
        else this.#notify(line.sentence);
        return;
      case "command":
        if (this.#isRefusedWhileBusy(line.command.isAllowedWhileBusy ?? false)) return;
        this.#runTyped(typed, () => runCommand(line.command, line.argument));
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

  #notify(notice: string): void {
    this.#options.store.update({ notice });
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
    this.#notify("Still answering: wait or Esc");
    return true;
  }

  /** The line leaves the field at once; where it could not be done it comes back. */
  #runTyped(typed: string, run: () => string | undefined | Promise<string | undefined>): void {
    const settle = (sentence: string | undefined): void => {
      if (sentence === undefined) return;
      this.#notify(sentence);
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
      this.#notify(`The prompt history could not be saved: ${describeError(error)}`);
    });
  }
}
