// What a chat asks about models beside answers; the command line hands in what talks HTTP.

import type { ClientMessage } from "../../../client/chat-events.ts";
import type { ChatSettings } from "./chat-settings.ts";

export const showTopics = [
  "info",
  "license",
  "modelfile",
  "parameters",
  "system",
  "template",
] as const;
export type ShowTopic = (typeof showTopics)[number];

/** A model to choose from. */
export interface ModelChoice {
  readonly name: string;
  /** `2 GB`. */
  readonly sizeText: string;
}

/** All of them throw errors whose message is a sentence. */
export interface ModelServices {
  /** What is known of the model in use, as text; empty where there is nothing. */
  show(topic: ShowTopic): Promise<string>;
  models(): Promise<readonly ModelChoice[]>;
  /** Answers come from another model from now on; after an error from the same as before. */
  use(model: string): Promise<void>;
  /** Whether the model in use can be shown images. */
  sees(): Promise<boolean>;
  /** Tokens of the prompt that would be sent; loads the model. */
  countTokens(
    messages: readonly ClientMessage[],
    settings: ChatSettings,
    signal?: AbortSignal,
  ): Promise<number>;
  /** Tokens that an image takes in a prompt; loads the model. */
  imageTokens(base64: string, settings: ChatSettings, signal?: AbortSignal): Promise<number>;
  /** Makes a model of the one in use, with settings and conversation. */
  save(name: string, messages: readonly ClientMessage[], settings: ChatSettings): Promise<void>;
}
