// The canonical request: both APIs translate to it, and both translate its events back.
import type { ChatMessage, ToolDefinition } from "../prompt/chat-message.ts";
import type { ModelParameters } from "../store/model-parameters.ts";
import type { GenerationEvent } from "./generation.ts";

export type RequestInput =
  | { kind: "chat"; messages: ChatMessage[]; tools: ToolDefinition[] }
  /** Text that goes to the model as it is; it may hold control tokens. */
  | { kind: "raw"; text: string }
  /** Only load the model. */
  | { kind: "load" };

export interface CanonicalRequest {
  /** As the client named it. */
  model: string;
  /** Whether this client may name a file outside the store. */
  isFileAllowed: (file: string) => boolean;
  input: RequestInput;
  /** What the request itself sets; it overrides the model's own parameters. */
  parameters: ModelParameters;
  logitBias: ReadonlyArray<readonly [token: number, bias: number]>;
  ignoreEndOfText: boolean;
  topLogprobs: number | undefined;
  /** Report loading and the reading of the prompt. */
  reportProgress: boolean;
  /** How long the model stays loaded after this request; undefined leaves it as it is. */
  keepAliveMs: number | undefined;
}

export type CanonicalEvent =
  | { type: "loading"; fraction: number }
  /** The model is ready; `loadMs` is what the request waited for it. */
  | { type: "loaded"; loadMs: number }
  | GenerationEvent;
