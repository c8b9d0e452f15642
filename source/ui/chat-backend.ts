// What the chat screen needs from outside.

import type { ChatEvent, ClientMessage, ModelFacts } from "../client/chat-events.ts";

/** What a person may set for the rest of the session. */
export interface ChatSettings {
  /** The system text; undefined leaves the model's own. */
  readonly system: string | undefined;
  /** Sampling parameters by name; `stop` is a list. */
  readonly parameters: Readonly<Record<string, number | string | string[]>>;
}

/** The model behind the chat; the command line hands in one that talks HTTP. */
export interface ChatBackend {
  readonly facts: ModelFacts;
  /**
   * Streams one answer; aborting the signal stops it. Throws an Error whose message is a sentence.
   * @param messages the conversation without a system message: that is `settings.system`
   */
  chat(
    messages: ClientMessage[],
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
  /** Prompts that an empty conversation proposes. Defaults to three general ones. */
  readonly examplePrompts?: readonly string[];
  /** Settings to begin with. Defaults to none. */
  readonly settings?: ChatSettings;
  /** Messages to begin with, such as those stored with the model. Defaults to none. */
  readonly messages?: readonly ClientMessage[];
}
