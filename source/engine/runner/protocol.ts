// Messages between the server process and a runner.
import type { GenerationEvent, GenerationRequest, RunnerFacts } from "../generation.ts";
import type { CallOutput, RunnerCall } from "./calls.ts";
import type { LoadSettings } from "./load-settings.ts";
import type { PromptPart } from "./prompt-parts.ts";

/** Error as serialised between processes. */
export interface WireError {
  code: string;
  message: string;
  hint?: string;
}

export type ToRunner =
  | { type: "load"; settings: LoadSettings }
  /** The runner may take the model's memory now: no other process is loading. */
  | { type: "proceed" }
  /** Part of the prompt of a later message with the same id. */
  | { type: "part"; id: number; part: PromptPart }
  | { type: "generate"; id: number; request: GenerationRequest }
  | { type: "cancel"; id: number }
  | { type: "call"; id: number; call: RunnerCall }
  | { type: "stop" };

/** Event of a request; all events of one step travel in one message. */
export type RequestEvent = { id: number } & (GenerationEvent | ({ type: "failed" } & WireError));

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
