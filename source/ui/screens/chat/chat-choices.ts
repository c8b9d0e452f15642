// Choosing what the chat goes on with: another model, a saved chat, a new one.

import type { Clock } from "../../../base/clock.ts";
import { formatRelativeTime } from "../../../base/relative-time.ts";
import type { FrameServices } from "../../frame/screen.ts";
import type { ChatBackend, ChatOptions } from "./chat-backend.ts";
import type { ChatState } from "./chat-state.ts";
import { conversationOf, nextEntryId } from "./conversation/transcript-entry.ts";
import { MessageKeys, type MessageKeysOptions } from "./transcript/message-keys.ts";
import { followTail } from "./transcript/transcript-window.ts";

export interface ChatChoicesOptions extends MessageKeysOptions {
  readonly backend: ChatBackend;
  readonly clock: Clock;
  readonly frame: FrameServices;
  readonly goElsewhere: ChatOptions["goElsewhere"];
}

/** What belongs to the messages that are left. */
const freshView: Partial<ChatState> = {
  figures: undefined,
  contextTokens: undefined,
  viewport: followTail,
  selectedId: undefined,
  editingId: undefined,
  waitingImages: [],
};

export class ChatChoices extends MessageKeys {
  readonly #options: ChatChoicesOptions;

  constructor(options: ChatChoicesOptions) {
    super(options);
    this.#options = options;
  }

  get #state(): ChatState {
    return this.#options.store.get();
  }

  notify(sentence: string): void {
    this.#options.store.update({ notice: sentence });
  }

  print(text: string): void {
    const { entries } = this.#state;
    this.#options.store.update({
      entries: [...entries, { kind: "notice", id: nextEntryId(entries), text }],
      viewport: followTail,
    });
  }

  clear(name?: string): void {
    this.#options.store.update({ ...freshView, entries: [] });
    this.#options.actions.clear(name);
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
    if (chosen !== undefined) this.print(await this.#options.actions.switchModel(chosen));
    return undefined;
  }

  async chooseSession(words: string): Promise<string | undefined> {
    const { clock, frame } = this.#options;
    const sessions = await this.#options.actions.sessions(words);
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
    const { actions, goElsewhere } = this.#options;
    const head = await actions.findSession(reference);
    if (!actions.belongsHere(head) && (await goElsewhere?.(head)) === true) return undefined;
    return await this.openSessionHere(head.id);
  }

  /** Whoever the saved chat was with. */
  async openSessionHere(reference: string): Promise<string | undefined> {
    const { store, actions } = this.#options;
    const outcome = await actions.openSession(reference);
    store.update(freshView);
    this.notify(outcome);
    void this.countContext();
    return undefined;
  }

  /** Has the server count the conversation, where that is not known; a failure leaves it unknown. */
  async countContext(): Promise<void> {
    const { backend, store } = this.#options;
    const { entries, settings } = this.#state;
    const messages = conversationOf(entries);
    if (messages.length === 0) return;
    const contextTokens = await backend.countTokens(messages, settings).catch(() => undefined);
    if (this.#state.entries === entries) store.update({ contextTokens });
  }
}
