// Context of the chat's commands: field, messages and conversation.

import { plural } from "../../../base/quantities.ts";
import type { ChatActions } from "../../../chat/chat-actions.ts";
import type { Printed } from "../../../chat/commands/command.ts";
import { quitNotice } from "../../../chat/commands/slash-commands.ts";
import { conversationOf, nextEntryId } from "../../../chat/conversation/transcript-entry.ts";
import type { ChatState } from "./chat-state.ts";
import type { ChatParts } from "./chat-view.ts";
import { chooseSession } from "./choose-session.ts";
import { helpText } from "./commands/command-table.ts";
import type { ScreenContext } from "./commands/key-commands.ts";
import { askChatSettings } from "./commands/settings-form.ts";
import { ComposerActions } from "./composer/composer-actions.ts";
import { emptyQueue } from "./composer/message-queue.ts";
import type { FirstModelsList } from "./first-models.ts";
import { askPrompt } from "./tools/ask-prompt.ts";
import { ToolDecisions } from "./tools/tool-decisions.ts";
import { switchTools } from "./tools/tools-overlay.ts";
import { MessageActions } from "./transcript/message-actions.ts";
import { followTail } from "./transcript/transcript-window.ts";

/** A second press within this time counts: Ctrl+C quits, Esc edits the last question. */
const secondPressMs = 2000;

/** View of a new conversation. */
const freshView: Partial<ChatState> = {
  figures: undefined,
  contextTokens: undefined,
  viewport: followTail,
  selectedId: undefined,
  editingId: undefined,
  waitingImages: [],
  queue: emptyQueue,
};

export class ChatController implements ScreenContext {
  readonly #chat: ChatParts;
  readonly composer: ComposerActions;
  readonly messages: MessageActions;
  readonly decisions: ToolDecisions;
  readonly firstModels: FirstModelsList | undefined;
  #interruptedAtMs = -Infinity;
  #escapedAtMs = -Infinity;

  constructor(chat: ChatParts) {
    this.#chat = chat;
    this.messages = new MessageActions(chat);
    this.decisions = new ToolDecisions(chat);
    this.firstModels = chat.firstModels;
    this.composer = new ComposerActions(chat, this, this.messages);
  }

  get actions(): ChatActions {
    return this.#chat.actions;
  }

  get #state(): ChatState {
    return this.#chat.store.get();
  }

  #update(change: Partial<ChatState>): void {
    this.#chat.store.update(change);
  }

  notify(text: string): void {
    this.#update({ notice: { text, isWarning: false } });
  }

  /** Clears the notice, since a key has been pressed. */
  clearNotice(): void {
    if (this.#state.notice !== undefined) this.#update({ notice: undefined });
  }

  /** Text was typed: a later Ctrl+C or Esc is a first press again. */
  typed(): void {
    this.clearNotice();
    this.#interruptedAtMs = -Infinity;
    this.#escapedAtMs = -Infinity;
  }

  print(text: string, line?: string): undefined {
    const { entries } = this.#state;
    this.#update({
      entries: [...entries, { kind: "notice", id: nextEntryId(entries), text, line }],
      viewport: followTail,
    });
  }

  stop(): undefined {
    const isBegun = this.#chat.session.hasContent;
    this.#chat.session.stop();
    if (!isBegun) this.notify("Stopped before the answer began; message restored");
  }

  answerNow(): undefined {
    this.#chat.session.answerNow();
  }

  interrupt(): undefined {
    const { clock, frame, session } = this.#chat;
    const nowMs = clock.now();
    const isSecond = nowMs - this.#interruptedAtMs <= secondPressMs;
    this.#interruptedAtMs = nowMs;
    if (isSecond) {
      frame.leave("interrupted");
      return;
    }
    if (session.isBusy) this.stop();
    // Up restores the dropped line.
    else if (this.#state.editor.text !== "") this.composer.edit({ type: "shelve" });
    this.notify(quitNotice);
  }

  escape(): undefined {
    const nowMs = this.#chat.clock.now();
    const isSecond = nowMs - this.#escapedAtMs <= secondPressMs;
    this.#escapedAtMs = isSecond ? -Infinity : nowMs;
    if (!isSecond) {
      this.notify("Esc again to edit the last message");
      return;
    }
    const sentence = this.editLast();
    if (sentence !== undefined) this.#chat.warn(sentence);
  }

  regenerate(): Promise<string | undefined> {
    return this.messages.regenerate(true);
  }

  editLast(): string | undefined {
    return this.messages.editLast();
  }

  write(text: string): undefined {
    this.composer.edit({ type: "replace", text });
  }

  leave(): undefined {
    this.#chat.frame.leave("bye");
  }

  openHelp(): Printed | undefined {
    if (this.#chat.isRead) return { printed: helpText() };
    this.#chat.frame.help();
    return undefined;
  }

  clear(name?: string): undefined {
    const unsent = this.#unsentText();
    this.#update({ ...freshView, entries: [] });
    this.notify([this.actions.clear(name), unsent].filter(Boolean).join(" "));
  }

  confirm(question: string): Promise<boolean> {
    return this.#chat.frame.confirm(question);
  }

  async chooseModel(): Promise<Printed | undefined> {
    const { backend, frame } = this.#chat;
    const models = await backend.models();
    const { name: current } = backend.facts;
    const choices = models.map(({ name, sizeText }) => ({
      value: name,
      title: name,
      note: name === current ? `current, ${sizeText}` : sizeText,
    }));
    const chosen = await frame.choose("Switch to another model", choices, { selected: current });
    return chosen === undefined ? undefined : { printed: await this.actions.switchModel(chosen) };
  }

  async chooseSettings(): Promise<Printed | undefined> {
    const { actions } = this;
    const before = actions.settings;
    const model = await actions.modelTexts();
    await askChatSettings(
      () => actions.settings,
      (settings) => actions.changeSettings(settings),
      model,
      this.#chat.frame,
    );
    return actions.settings === before ? undefined : { printed: await actions.show(undefined) };
  }

  async chooseTools(): Promise<string | undefined> {
    const { tools, backend, frame } = this.#chat;
    if (tools === undefined) return "Tools are for models of this machine.";
    const { settings } = this.actions;
    return await switchTools({ tools, backend, settings, frame });
  }

  async choosePrompt(): Promise<string | undefined> {
    const { tools, frame } = this.#chat;
    if (tools === undefined) return "Tools are for models of this machine.";
    const text = await askPrompt(tools, frame);
    if (text === undefined) return undefined;
    if (text === "") return "No prompts: switch a server with prompts on (/tools).";
    return this.write(text);
  }

  async chooseSession(words: string): Promise<string | undefined> {
    const { clock, frame } = this.#chat;
    const sessions = await this.actions.sessions(words);
    if (sessions.length === 0) {
      return words === "" ? "No saved chats." : `No saved chat contains '${words}'.`;
    }
    const chats = {
      search: (typed: string) => this.actions.sessions(`${words} ${typed}`),
      remove: (id: string) => this.actions.removeSession(id),
    };
    const chosen = await chooseSession(sessions, chats, frame, clock);
    return chosen === undefined ? undefined : await this.openSession(chosen);
  }

  async openSession(reference: string): Promise<undefined> {
    const head = await this.actions.findSession(reference);
    const isElsewhere =
      !this.actions.belongsHere(head) && (await this.#chat.goElsewhere?.(head)) === true;
    if (!isElsewhere) await this.openSessionHere(head.id);
  }

  async openSessionHere(reference: string): Promise<void> {
    const sentence = await this.actions.openSession(reference);
    const unsent = this.#unsentText();
    this.#update(freshView);
    this.notify([sentence, unsent].filter(Boolean).join(" "));
    void this.#countContext();
  }

  /** Returns a notice about queued messages, which are not sent but kept in the history. */
  #unsentText(): string | undefined {
    const { length } = this.#state.queue.messages;
    if (length === 0) return undefined;
    return `Not sent: ${plural(length, "queued message")}. Press Up to recall.`;
  }

  /** Counts the conversation's tokens on the server if unknown; a failure leaves them unknown. */
  async #countContext(): Promise<void> {
    const { entries, settings } = this.#state;
    const messages = conversationOf(entries);
    if (messages.length === 0) return;
    const contextTokens = await this.#chat.backend
      .countTokens(messages, settings)
      .catch(() => undefined);
    if (this.#state.entries === entries) this.#update({ contextTokens });
  }
}
