// The messages between the server's process and a runner.
import type { GenerationEvent, GenerationRequest, RunnerFacts } from "../generation.ts";
import type { CallOutput, RunnerCall } from "./calls.ts";
import type { LoadSettings } from "./load-settings.ts";

/** An error as it crosses the process border. */
export interface WireError {
  code: string;
  message: string;
  hint?: string;
}

export type ToRunner =
  | { type: "load"; settings: LoadSettings }
  /** The model's memory may be taken: nobody else loads it. */
  | { type: "proceed" }
  | { type: "generate"; id: number; request: GenerationRequest }
  | { type: "cancel"; id: number }
  | { type: "call"; id: number; call: RunnerCall }
  | { type: "stop" };

/** Events of requests; all of one step travel in one message. */
export type RequestEvent = { id: number } & (GenerationEvent | ({ type: "failed" } & WireError));

export type FromRunner =
  | { type: "progress"; fraction: number }
  | { type: "loaded"; facts: RunnerFacts }
  | { type: "load-failed"; error: WireError }
  | { type: "log"; lines: string[] }
  /** A line that the user should see. */
  | { type: "warning"; text: string }
  | { type: "result"; id: number; output: CallOutput }
  | { type: "call-failed"; id: number; error: WireError }
  | { type: "events"; events: RequestEvent[] };
