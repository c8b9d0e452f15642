// What happens on a key, a paste or a command: the one place that changes the state of the screen.

import type { Clock } from "../../base/clock.ts";
import { describeError } from "../../base/product-error.ts";
import type { ChatSettings } from "../chat-backend.ts";
import type { CommandContext } from "../commands/command.ts";
import { completeSlash, parseLine } from "../commands/command-table.ts";
import { reduceEditor } from "../editor/editor-reducer.ts";
import type { EditorAction } from "../editor/editor-state.ts";
import type { PromptHistoryFile } from "../editor/prompt-history.ts";
import type { FrameServices } from "../frame/screen.ts";
import { editorWidth, type ScreenSize } from "../view/screen-layout.ts";
import type { ScreenModel } from "../view/screen-model.ts";
import { followTail, type ScrollRequest, scroll } from "../view/viewport.ts";
import type { ChatSession } from "./chat-session.ts";
import { type ChatState, nextEntryId } from "./chat-state.ts";
import type { Store } from "./store.ts";

/** A second Ctrl+C within this time leaves. */
const interruptWindowMs = 2000;

export interface ChatControllerOptions {
  readonly store: Store<ChatState>;
  readonly session: ChatSession;
  readonly model: ScreenModel;
  readonly historyFile: PromptHistoryFile | undefined;
  readonly examplePrompts: readonly string[];
  readonly clock: Clock;
  readonly size: () => ScreenSize;
  readonly frame: Pick<FrameServices, "help" | "leave" | "runSlash">;
}

export class ChatController implements CommandContext {
  readonly #options: ChatControllerOptions;
  #interruptedAtMs = -Infinity;

  constructor(options: ChatControllerOptions) {
    this.#options = options;
  }

  get settings(): ChatSettings {
    return this.#state.settings;
  }

  get #state(): ChatState {
    return this.#options.store.get();
  }

  /** Takes typed or pasted text: one insertion that never sends. */
  insert(text: string): void {
    this.clearNotice();
    this.edit({ type: "insert", text });
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

  complete(): void {
    const { text } = this.#state.editor;
    const { examplePrompts } = this.#options;
    if (text.startsWith("/")) {
      const completion = completeSlash(text);
      if (completion !== undefined) this.edit({ type: "replace", text: completion });
      return;
    }
    const shown = examplePrompts.indexOf(text);
    if (this.#state.entries.length > 0 || (text !== "" && shown === -1)) return;
    const example = examplePrompts[(shown + 1) % examplePrompts.length];
    if (example !== undefined) this.edit({ type: "replace", text: example });
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
        else this.#notify(line.sentence);
        return;
      case "command":
        if (this.#isRefusedWhileBusy(line.command.isAllowedWhileBusy ?? false)) return;
        this.#runTyped(typed, () => line.command.run(this, line.argument));
        return;
      case "message":
        if (this.#isRefusedWhileBusy(false)) return;
        this.#shelve(typed);
        // How the answer ends is in the state; the promise itself never fails.
        void this.#options.session.send(line.text, typed);
    }
  }

  stop(): void {
    const hadText = this.#state.entries.some(
      (entry) => entry.kind === "assistant" && entry.state === "running" && entry.text !== "",
    );
    this.#options.session.stop();
    if (!hadText) this.#notify("Stopped before the answer began; your message is back");
  }

  interrupt(): void {
    const nowMs = this.#options.clock.now();
    const isSecond = nowMs - this.#interruptedAtMs <= interruptWindowMs;
    this.#interruptedAtMs = nowMs;
    if (isSecond) {
      this.#options.frame.leave("interrupted");
      return;
    }
    if (this.#options.session.isBusy) this.stop();
    // The dropped line can be had back with Up.
    else if (this.#state.editor.text !== "") this.edit({ type: "shelve" });
    this.#notify("Ctrl+C again leaves (as do Ctrl+D and /bye)");
  }

  leave(): void {
    this.#options.frame.leave("bye");
  }

  clearConversation(): void {
    this.#options.store.update({ entries: [], figures: undefined, viewport: followTail });
  }

  changeSettings(settings: ChatSettings): void {
    this.#options.store.update({ settings });
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

  print(text: string): void {
    const { entries } = this.#state;
    this.#options.store.update({
      entries: [...entries, { kind: "notice", id: nextEntryId(entries), text }],
      viewport: followTail,
    });
  }

  #notify(sentence: string): void {
    this.#options.store.update({ notice: sentence });
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

  #runTyped(typed: string, run: () => string | undefined): void {
    const sentence = run();
    if (sentence === undefined) this.#shelve(typed);
    else this.#notify(sentence);
  }

  #shelve(typed: string): void {
    this.edit({ type: "shelve" });
    this.#options.historyFile?.append(typed).catch((error: unknown) => {
      this.#notify(`The prompt history could not be saved: ${describeError(error)}`);
    });
  }
}
