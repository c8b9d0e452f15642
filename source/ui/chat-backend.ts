// What the chat screen needs from outside, and what it gives back.

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
  /** The server for the header, such as "● 127.0.0.1:11434"; asked for on every repaint. */
  serverLabel(): string;
}

export interface ChatScreenOptions {
  readonly backend: ChatBackend;
  /** Version of the product, for the header. */
  readonly version: string;
  /** File of the prompt history; undefined keeps the history in memory only. */
  readonly historyFile?: string;
  /** Prompts that an empty conversation proposes. Defaults to three general ones. */
  readonly examplePrompts?: readonly string[];
  /** Settings to begin with. Defaults to none. */
  readonly settings?: ChatSettings;
  /** Messages to begin with, such as those stored with the model. Defaults to none. */
  readonly messages?: readonly ClientMessage[];
  /** Plain lines instead of a painted screen. Defaults to the variable INK_SCREEN_READER. */
  readonly isScreenReader?: boolean;
  /** Variables that choose the glyph set. Defaults to the process's own. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Defaults to the process's own. */
  readonly stdin?: NodeJS.ReadStream;
  /** Defaults to the process's own. */
  readonly stdout?: NodeJS.WriteStream;
}

export interface ChatScreenResult {
  /** `bye`: the person left. `interrupted`: Ctrl+C twice, a signal, or the terminal went away. */
  readonly reason: "bye" | "interrupted";
  /** The signal that ended the screen, for the exit code. */
  readonly signal?: NodeJS.Signals;
  /** The conversation without the system message; stopped and failed answers as far as they got. */
  readonly transcript: ClientMessage[];
}
