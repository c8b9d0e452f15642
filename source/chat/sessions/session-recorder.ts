// Saves the chat continuously: one save at a time, always of the newest state.

import type { Clock } from "../../base/clock.ts";
import { describeError } from "../../base/product-error.ts";
import type { ChatSettings } from "../chat-backend.ts";
import type { TranscriptEntry } from "../conversation/transcript-entry.ts";
import { SavedMessages } from "./saved-messages.ts";
import type { Session, SessionDeployment, SessionHead, SessionMessage } from "./session.ts";
import type { SessionStore, StoredSession } from "./session-store.ts";

/** The chat to save. */
export interface ChatSnapshot {
  readonly model: string;
  /** Undefined for a model of this machine. */
  readonly deployment?: SessionDeployment | undefined;
  readonly settings: ChatSettings;
  readonly entries: readonly TranscriptEntry[];
}

export interface OpenedChat extends ChatSnapshot {
  readonly name: string;
}

/** A chat being saved. Its pending saves stay with it when another chat begins. */
interface KeptChat {
  stored: StoredSession | undefined;
  /** Name for a chat that is not saved yet. */
  wantedName: string | undefined;
  next: ChatSnapshot | undefined;
  saving: Promise<void>;
}

export interface RecorderEvents {
  /** Called when a save failed or became a copy. */
  readonly tell: (sentence: string) => void;
  /** Called when a chat is renamed, continued as a fork, or deleted. */
  readonly onListChanged?: () => void;
}

export class SessionRecorder {
  readonly store: SessionStore;
  readonly #clock: Clock;
  readonly #events: RecorderEvents;
  readonly #messages: SavedMessages;
  #chat: KeptChat = keptChat();
  /** Saves of earlier chats. */
  #left: Promise<unknown> = Promise.resolve();

  constructor(store: SessionStore, clock: Clock, events: RecorderEvents) {
    this.store = store;
    this.#messages = new SavedMessages(store.images);
    this.#clock = clock;
    this.#events = events;
  }

  /** Undefined while nothing was said. */
  get head(): SessionHead | undefined {
    return this.#chat.stored?.session;
  }

  get name(): string | undefined {
    return this.#chat.stored?.session.name ?? this.#chat.wantedName;
  }

  /** Saves soon, with changes made until then. */
  record(snapshot: ChatSnapshot): void {
    const chat = this.#chat;
    const isWaiting = chat.next !== undefined;
    chat.next = snapshot;
    if (!isWaiting) chat.saving = chat.saving.then(() => this.#saveNext(chat));
  }

  /** Resolves when everything is saved, or its failure was reported. */
  async settled(): Promise<void> {
    await this.#left;
    await this.#chat.saving;
  }

  /** Starts a new chat with the next recording. */
  startNew(name?: string): void {
    this.#resume(keptChat(undefined, name));
  }

  /** @throws ProductError `SESSION_...`; the current chat then stays open */
  async open(id: string): Promise<OpenedChat> {
    await this.settled();
    const stored = await this.store.load(id);
    const { session } = stored;
    const { model, deployment, name, system, parameters } = session;
    const entries = await this.#messages.entriesOf(session.messages);
    this.#resume(keptChat(stored));
    return { model, deployment, name, settings: { system, parameters }, entries };
  }

  async rename(name: string): Promise<void> {
    const chat = this.#chat;
    await chat.saving;
    chat.wantedName = name;
    if (chat.stored === undefined) return;
    const { session, revision } = chat.stored;
    await this.#save(chat, { ...session, name, isNamed: true }, revision);
    this.#events.onListChanged?.();
  }

  /** Deletes another saved chat. */
  async remove(id: string): Promise<void> {
    await this.store.remove(id);
    this.#events.onListChanged?.();
  }

  /** Continues in a copy of the chat; the chat itself stays unchanged. */
  async fork(name?: string): Promise<string | undefined> {
    const chat = this.#chat;
    await chat.saving;
    if (chat.stored === undefined) return undefined;
    const fork = this.store.fork(chat.stored.session, this.#clock.wallMs(), name);
    const copy = keptChat();
    await this.#save(copy, fork, 0);
    this.#resume(copy);
    this.#events.onListChanged?.();
    return fork.name;
  }

  #resume(chat: KeptChat): void {
    this.#left = Promise.all([this.#left, this.#chat.saving]);
    this.#chat = chat;
  }

  async #saveNext(chat: KeptChat): Promise<void> {
    const snapshot = chat.next;
    chat.next = undefined;
    if (snapshot === undefined) return;
    try {
      const messages = await this.#messages.messagesOf(snapshot.entries);
      if (messages.length === 0 && chat.stored === undefined) return;
      const nowMs = this.#clock.wallMs();
      const session = chat.stored?.session ?? this.#begin(chat, snapshot.model, messages, nowMs);
      const { model, deployment } = snapshot;
      const { system, parameters } = snapshot.settings;
      const messageCount = messages.length;
      const next = { model, deployment, system, parameters, updatedAtMs: nowMs, messageCount };
      await this.#save(chat, { ...session, ...next, messages }, chat.stored?.revision ?? 0);
    } catch (error) {
      this.#events.tell(describeError(error));
    }
  }

  async #save(chat: KeptChat, session: Session, revision: number): Promise<void> {
    const saved = await this.store.save(session, revision);
    chat.stored = saved;
    if (!saved.isCopy) return;
    this.#events.tell(
      `This chat was also continued in another terminal. Yours is saved as '${saved.session.name}'.`,
    );
  }

  #begin(
    { wantedName: name }: KeptChat,
    model: string,
    messages: readonly SessionMessage[],
    nowMs: number,
  ): Session {
    const first = messages.find(({ role }) => role === "user");
    const firstMessage = first?.typed ?? first?.content ?? "";
    return this.store.begin({ model, firstMessage, name, nowMs });
  }
}

function keptChat(stored?: StoredSession, wantedName?: string): KeptChat {
  return { stored, wantedName, next: undefined, saving: Promise.resolve() };
}
