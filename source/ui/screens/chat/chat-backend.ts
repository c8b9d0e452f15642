// What the chat screen needs from outside.

import type { ChatEvent, ClientMessage, ModelFacts } from "../../../client/chat-events.ts";
import type { SessionDeployment, SessionHead } from "../../../sessions/session.ts";
import type { SessionStore } from "../../../sessions/session-store.ts";
import type { ChatSettings } from "./chat-settings.ts";
import type { ModelServices } from "./model-services.ts";

/** The model behind the chat; the command line hands in one that talks HTTP. */
export interface ChatBackend extends ModelServices {
  /** Of the model in use: it is another after `use`. */
  readonly facts: ModelFacts;
  /** Undefined for the models of this machine. */
  readonly deployment?: SessionDeployment;
  /**
   * Streams one answer; aborting the signal stops it. Throws an Error whose message is a sentence.
   * @param messages the conversation without a system message: that is `settings.system`
   */
  chat(
    messages: readonly ClientMessage[],
    settings: ChatSettings,
    signal: AbortSignal,
  ): AsyncIterable<ChatEvent>;
  /** The server for the row of tabs, such as "● 127.0.0.1:11434"; asked for on every repaint. */
  serverLabel(): string;
}

/** What the chat begins with. */
export interface ChatOptions {
  readonly backend: ChatBackend;
  /** File of the prompt history; undefined keeps the history in memory only. */
  readonly historyFile?: string;
  /** Where chats are saved; undefined saves none. */
  readonly sessions?: SessionStore;
  /** The saved chat to go on with, or the name of a new one. */
  readonly session?: { readonly id: string } | { readonly name: string };
  /**
   * Goes on with a saved chat that belongs elsewhere: to a deployment, or to the model of this machine.
   * @returns false: there is no such place, and the chat goes on here
   */
  readonly goElsewhere?: (chat: SessionHead) => Promise<boolean>;
  /** Prompts that an empty conversation proposes. Defaults to three general ones. */
  readonly examplePrompts?: readonly string[];
  /** Settings to begin with. Defaults to none. */
  readonly settings?: ChatSettings;
  /**
   * Messages that are stored with the model: they are shown, and the model sees them anyway. The chat
   * does not wait for those that are still asked for.
   */
  readonly messages?: readonly ClientMessage[] | Promise<readonly ClientMessage[]>;
  /** What relative paths start from. Defaults to the working directory. */
  readonly folder?: string;
}
