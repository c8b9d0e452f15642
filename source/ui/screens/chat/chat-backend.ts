// The model behind the chat, and the options that a chat begins with.

import type { ChatEvent, ClientMessage, ModelFacts } from "../../../client/chat-events.ts";
import type { SessionDeployment, SessionHead } from "../../../sessions/session.ts";
import type { SessionStore } from "../../../sessions/session-store.ts";
import type { ParameterValue } from "./commands/model-parameters.ts";

/** Settings for the rest of the chat. */
export interface ChatSettings {
  /** The system text; undefined leaves the model's own. */
  readonly system: string | undefined;
  /** Parameters by name; `stop` is a list. */
  readonly parameters: Readonly<Record<string, ParameterValue>>;
  /** Turns thinking on or off, or says how hard; undefined leaves it to the model. */
  readonly think?: boolean | string;
  /** `json`, or a JSON schema that every answer must fit. */
  readonly format?: unknown;
  readonly isVerbose?: boolean;
  /** False keeps neither prompts nor chats. Defaults to true. */
  readonly keepsHistory?: boolean;
}

export const showTopics = [
  "info",
  "license",
  "modelfile",
  "parameters",
  "system",
  "template",
] as const;
export type ShowTopic = (typeof showTopics)[number];

export interface ModelChoice {
  readonly name: string;
  /** `2 GB`. */
  readonly sizeText: string;
}

/**
 * The model behind the chat; the command line hands in one that talks HTTP. What fails throws an Error
 * whose message is a sentence.
 */
export interface ChatBackend {
  /** Facts about the model in use: another one after `use`. */
  readonly facts: ModelFacts;
  /** Undefined for the models of this machine. */
  readonly deployment?: SessionDeployment;
  /**
   * Streams one answer; aborting the signal stops it.
   * @param messages the conversation without a system message: that is `settings.system`
   */
  chat(
    messages: readonly ClientMessage[],
    settings: ChatSettings,
    signal: AbortSignal,
  ): AsyncIterable<ChatEvent>;
  /** The server for the row of tabs, such as "● 127.0.0.1:11434"; asked for on every repaint. */
  serverLabel(): string;
  /** Describes the model in use; empty where nothing is known. */
  show(topic: ShowTopic): Promise<string>;
  models(): Promise<readonly ModelChoice[]>;
  /** Answers come from another model from now on; after an error from the same as before. */
  use(model: string): Promise<void>;
  /** Tells if the model in use can be shown images. */
  sees(): Promise<boolean>;
  /** Tokens of the prompt that would be sent; loads the model. */
  countTokens(
    messages: readonly ClientMessage[],
    settings: ChatSettings,
    signal?: AbortSignal,
  ): Promise<number>;
  /** Tokens that an image takes in a prompt; loads the model. */
  imageTokens(base64: string, settings: ChatSettings, signal?: AbortSignal): Promise<number>;
  save(name: string, messages: readonly ClientMessage[], settings: ChatSettings): Promise<void>;
}

export interface ChatOptions {
  readonly backend: ChatBackend;
  /** File of the prompt history; undefined keeps the history in memory only. */
  readonly historyFile?: string;
  /** Saves the chats; undefined saves none. */
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
  readonly settings?: ChatSettings;
  /**
   * Messages that are stored with the model: they are shown, and the model sees them anyway. The chat
   * does not wait for those that are still asked for.
   */
  readonly messages?: readonly ClientMessage[] | Promise<readonly ClientMessage[]>;
  /** Relative paths start here. Defaults to the working directory. */
  readonly folder?: string;
}
