// Messages between the server process and a runner: requests, calls and events.
import { ProductError } from "../../base/product-error.ts";
import type {
  EmbeddingInput,
  EmbeddingOutput,
  GenerationEvent,
  GenerationRequest,
  MarkedPrompt,
  RankInput,
  RankOutput,
  RunnerFacts,
} from "../generation.ts";
import type { LoadSettings } from "./load-settings.ts";
import type { PromptPart } from "./prompt-parts.ts";

/** Calls besides generation: one request, one result. */
export interface RunnerCalls {
  embed: { input: EmbeddingInput; output: EmbeddingOutput };
  rank: { input: RankInput; output: RankOutput };
  /** Tokens of a prompt as generation would use them; image tokens are negative. */
  tokenize: { input: MarkedPrompt; output: { tokens: number[] } };
  /** Text of tokens, including control tokens. */
  detokenize: { input: { tokens: number[] }; output: { text: string } };
}

export type CallName = keyof RunnerCalls;

/** A call on its way to the runner. */
export type RunnerCall = {
  [Name in CallName]: { name: Name; input: RunnerCalls[Name]["input"] };
}[CallName];

export type CallOutput = RunnerCalls[CallName]["output"];

/** Error as serialised between processes. */
export interface WireError {
  code: string;
  message: string;
  hint?: string;
}

export function toWire(error: unknown): WireError {
  if (error instanceof ProductError) {
    const { code, message, hint } = error;
    return { code, message, ...(hint !== undefined && { hint }) };
  }
  return { code: "UNEXPECTED", message: error instanceof Error ? error.message : String(error) };
}

/** Last event of a request that failed. */
export type FailedEvent = { type: "failed" } & WireError;

export type ToRunner =
  | { type: "load"; settings: LoadSettings }
  /** The runner may take the model's memory now: no other process is loading. */
  | { type: "proceed" }
  /** Part of the prompt of a later message with the same id. */
  | { type: "part"; id: number; part: PromptPart }
  | { type: "generate"; id: number; request: GenerationRequest }
  | { type: "cancel"; id: number }
  /** End the thinking of a request. */
  | { type: "answer-now"; id: number }
  | { type: "call"; id: number; call: RunnerCall }
  | { type: "stop" };

/** Event of a request; all events of one step travel in one message. */
export type RequestEvent = { id: number } & (GenerationEvent | FailedEvent);

export type FromRunner =
  | { type: "progress"; fraction: number }
  | { type: "loaded"; facts: RunnerFacts }
  | { type: "load-failed"; error: WireError }
  | { type: "log"; lines: string[] }
  /** Line that the user should see. */
  | { type: "warning"; text: string }
  | { type: "result"; id: number; output: CallOutput }
  | { type: "call-failed"; id: number; error: WireError }
  | { type: "events"; events: RequestEvent[] };
