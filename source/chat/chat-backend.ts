// The model behind the chat, and the chat's initial options.

import type { ChatEvent, ClientMessage, ClientTool, ModelFacts } from "../client/chat-events.ts";
import type { PullRecord } from "../client/model-calls.ts";
import type { RecommendedModels } from "../client/models-hub.ts";
import type { ToolSet } from "../tools/tool-set.ts";
import type { Decide } from "../tools/toolbox.ts";
import type { ParameterValue, SessionDeployment, SessionHead } from "./sessions/session.ts";
import type { SessionStore } from "./sessions/session-store.ts";

/** Settings for the rest of the chat. */
export interface ChatSettings {
  /** The system prompt; undefined leaves the model's own. */
  readonly system: string | undefined;
  /** Parameters by name; `stop` is a list. */
  readonly parameters: Readonly<Record<string, ParameterValue>>;
  /** Turns thinking on or off, or sets its effort; undefined leaves it to the model. */
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
 * The model behind the chat; the command line provides one over HTTP. Failures throw an Error whose
 * message is a sentence.
 */
export interface ChatBackend {
  /** Facts about the current model, which `use` changes. */
  readonly facts: ModelFacts;
  /** Undefined for the models of this machine. */
  readonly deployment?: SessionDeployment;
  /**
   * Streams one answer; aborting the signal stops it.
   * @param messages the conversation without a system message: that is `settings.system`
   * @param answerNow aborting it ends the model's thinking; deployments ignore it
   */
  chat(
    messages: readonly ClientMessage[],
    settings: ChatSettings,
    signal: AbortSignal,
    answerNow?: AbortSignal,
  ): AsyncIterable<ChatEvent>;
  /** Server status for the tab bar, such as "● 127.0.0.1:11434"; called on every repaint. */
  serverLabel(): string;
  /** Describes the model in use; empty if nothing is known. */
  show(topic: ShowTopic): Promise<string>;
  models(): Promise<readonly ModelChoice[]>;
  /** Switches to another model; after an error the old one stays. */
  use(model: string): Promise<void>;
  /** True if the current model takes images. */
  sees(): Promise<boolean>;
  /** True if the current model calls tools. */
  callsTools(): Promise<boolean>;
  /**
   * Tokens of the prompt that would be sent; loads the model.
   *
   * @param tools those offered. Defaults to the tools that are on
   */
  countTokens(
    messages: readonly ClientMessage[],
    settings: ChatSettings,
    signal?: AbortSignal,
    tools?: readonly ClientTool[],
  ): Promise<number>;
  /** Tokens that an image takes in a prompt; loads the model. */
  imageTokens(base64: string, settings: ChatSettings, signal?: AbortSignal): Promise<number>;
  save(name: string, messages: readonly ClientMessage[], settings: ChatSettings): Promise<void>;
}

export type { ServerSwitch } from "../tools/tool-set.ts";

/** Tools that the backend lets the model call; the command line provides them. */
export interface ChatTools {
  /** The servers, and which of them are on. */
  readonly set: ToolSet;
  /** Tells about a server that failed. */
  tell: (sentence: string) => void;
  /**
   * Reads which servers exist.
   *
   * @param confirm asks about a project's servers
   * @returns sentences about mistakes in the files
   */
  find(confirm: (question: string) => Promise<boolean>): Promise<readonly string[]>;
  /** Asks a person about each call. */
  ask: Decide | undefined;
  /** Forgets what was allowed in the chat that ends. */
  forgetChat(): void;
}

/** Models to begin with, for someone who has none of their own. */
export interface FirstModels {
  /** @throws Error whose message is a sentence */
  read(signal: AbortSignal): Promise<RecommendedModels>;
  /** @throws Error whose message is a sentence */
  pull(name: string, onProgress: (record: PullRecord) => void, signal: AbortSignal): Promise<void>;
}

export interface ChatOptions {
  readonly backend: ChatBackend;
  /** Undefined if the model may call none. */
  readonly tools?: ChatTools;
  /** Offered in an empty conversation. Defaults to none. */
  readonly firstModels?: FirstModels;
  /** File of the prompt history; undefined keeps the history in memory only. */
  readonly historyFile?: string;
  /** Saves the chats; undefined saves none. */
  readonly sessions?: SessionStore;
  /** The saved chat to resume, or the name of a new one. */
  readonly session?: { readonly id: string } | { readonly name: string };
  /**
   * Resumes a saved chat that belongs to a deployment or to a model of this machine.
   * @returns false if that does not exist; the chat is then resumed here
   */
  readonly goElsewhere?: (chat: SessionHead) => Promise<boolean>;
  /** Prompts proposed in an empty conversation. Defaults to three general ones. */
  readonly examplePrompts?: readonly string[];
  readonly settings?: ChatSettings;
  /**
   * Messages stored with the model: they are shown, and the model sees them anyway. The chat does not
   * wait until they are loaded.
   */
  readonly messages?: Promise<readonly ClientMessage[]>;
  /** Relative paths start here. Defaults to the working directory. */
  readonly folder?: string;
}
