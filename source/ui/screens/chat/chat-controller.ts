// The chat's commands act on this: on the field, on the messages, on the conversation.

import type { Clock } from "../../../base/clock.ts";
import { formatRelativeTime } from "../../../base/relative-time.ts";
import type { BodySize, FrameServices } from "../../frame/screen.ts";
import type { ChatBackend, ChatOptions } from "./chat-backend.ts";
import type { ChatState } from "./chat-state.ts";
import type { ChatView } from "./chat-view.ts";
import type { CommandContext } from "./commands/command.ts";
import { ComposerActions } from "./composer/composer-actions.ts";
import type { PromptHistoryFile } from "./composer/prompt-history.ts";
import type { ChatActions } from "./conversation/chat-actions.ts";
import type { ChatSession } from "./conversation/chat-session.ts";
import { conversationOf, nextEntryId } from "./conversation/transcript-entry.ts";
import { MessageActions } from "./transcript/message-actions.ts";
import { followTail } from "./transcript/transcript-window.ts";

/** A second key within this time means more: Ctrl+C leaves, Esc edits the last question. */
const secondPressMs = 2000;

export interface ChatControllerOptions {
  readonly view: ChatView;
  readonly session: ChatSession;
  readonly actions: ChatActions;
  readonly backend: ChatBackend;
  readonly historyFile: PromptHistoryFile | undefined;
  readonly clock: Clock;
  /** The room of the conversation. */
  readonly size: () => BodySize;
  readonly frame: FrameServices;
  readonly goElsewhere: ChatOptions["goElsewhere"];
}

/** The view of another conversation: nothing of the one before is left in it. */
const freshView: Partial<ChatState> = {
  figures: undefined,
  contextTokens: undefined,
  viewport: followTail,
  selectedId: undefined,
  editingId: undefined,
  waitingImages: [],
};

export class ChatController implements CommandContext {
  readonly #options: ChatControllerOptions;
  readonly composer: ComposerActions;
  readonly messages: MessageActions;
  #interruptedAtMs = -Infinity;
  #escapedAtMs = -Infinity;

  constructor(options: ChatControllerOptions) {
    this.#options = options;
    const { view, session, actions, backend, historyFile, size, frame } = options;
    const { store, examplePrompts } = view;
    this.messages = new MessageActions({ view, session, actions, frame, size });
    this.composer = new ComposerActions({
      store,
      session,
      backend,
      frame,
      historyFile,
      examplePrompts,
      folder: actions.folder,
      columns: () => size().columns,
      startReading: () => this.messages.startReading(),
      runCommand: (command, argument) => command.run(this, argument),
    });
  }

  get actions(): ChatActions {
    return this.#options.actions;
  }

  get #state(): ChatState {
    return this.#options.view.store.get();
  }

  #update(change: Partial<ChatState>): void {
    this.#options.view.store.update(change);
  }

  notify(notice: string): void {
    this.#update({ notice });
  }

  /** The sentence was read: a key has been pressed. */
  clearNotice(): void {
    if (this.#state.notice !== undefined) this.#update({ notice: undefined });
  }

  print(text: string): void {
    const { entries } = this.#state;
    this.#update({
      entries: [...entries, { kind: "notice", id: nextEntryId(entries), text }],
      viewport: followTail,
    });
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
    else if (this.#state.editor.text !== "") this.composer.edit({ type: "shelve" });
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
    const problem = this.messages.editLast();
    if (problem !== undefined) this.notify(problem);
  }

  leave(): void {
    this.#options.frame.leave("bye");
  }

  openHelp(): void {
    this.#options.frame.help();
  }

  clear(name?: string): void {
    this.#update({ ...freshView, entries: [] });
    this.actions.clear(name);
  }

  async confirm(question: string): Promise<boolean> {
    return await this.#options.frame.confirm(question);
  }

  async chooseModel(): Promise<string | undefined> {
    const { backend, frame } = this.#options;
    const models = await backend.models();
    const choices = models.map(({ name, sizeText }) => ({
      value: name,
      title: name,
      note: sizeText,
    }));
    const chosen = await frame.choose("Go on with another model", choices);
    if (chosen !== undefined) this.print(await this.actions.switchModel(chosen));
    return undefined;
  }

  async chooseSession(words: string): Promise<string | undefined> {
    const { clock, frame } = this.#options;
    const sessions = await this.actions.sessions(words);
    if (sessions.length === 0) {
      return words === "" ? "No chat is saved yet." : `No saved chat holds '${words}'.`;
    }
    const choices = sessions.map(({ id, name, model, updatedAtMs }) => ({
      value: id,
      title: name,
      note: `${model}, ${formatRelativeTime(updatedAtMs, clock.wallMs())}`,
    }));
    const chosen = await frame.choose("Go on with a saved chat", choices);
    return chosen === undefined ? undefined : await this.openSession(chosen);
  }

  async openSession(reference: string): Promise<string | undefined> {
    const { goElsewhere } = this.#options;
    const head = await this.actions.findSession(reference);
    if (!this.actions.belongsHere(head) && (await goElsewhere?.(head)) === true) return undefined;
    return await this.openSessionHere(head.id);
  }

  /** Opens a saved chat here, whoever it was with. */
  async openSessionHere(reference: string): Promise<string | undefined> {
    const outcome = await this.actions.openSession(reference);
    this.#update(freshView);
    this.notify(outcome);
    void this.#countContext();
    return undefined;
  }

  /** Has the server count the conversation, where that is not known; a failure leaves it unknown. */
  async #countContext(): Promise<void> {
    const { backend } = this.#options;
    const { entries, settings } = this.#state;
    const messages = conversationOf(entries);
    if (messages.length === 0) return;
    const contextTokens = await backend.countTokens(messages, settings).catch(() => undefined);
    if (this.#state.entries === entries) this.#update({ contextTokens });
  }
}
