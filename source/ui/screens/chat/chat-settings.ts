// The settings of a chat that a person may change while it goes on.

import type { ParameterValue } from "./commands/model-parameters.ts";

/** What a person may set for the rest of the chat. */
export interface ChatSettings {
  /** The system text; undefined leaves the model's own. */
  readonly system: string | undefined;
  /** Parameters by name; `stop` is a list. */
  readonly parameters: Readonly<Record<string, ParameterValue>>;
  /** Whether, or how hard, the model thinks first; undefined leaves it to the model. */
  readonly think?: boolean | string;
  /** `json`, or a JSON schema that every answer must fit. */
  readonly format?: unknown;
  /** Counts and times are shown after each answer. */
  readonly isVerbose?: boolean;
  /** False keeps neither prompts nor chats. Defaults to true. */
  readonly keepsHistory?: boolean;
}
