// The answer being received: text so far, and progress of the request.

import type { ChatEvent } from "../../client/chat-events.ts";
import type { AnswerState, AssistantEntry } from "./transcript-entry.ts";
import { TurnSteps } from "./turn-steps.ts";

export type ActivityPhase =
  | { readonly type: "waiting" }
  | Extract<
      ChatEvent,
      { type: "starting" | "queued" | "checking" | "loading" | "warming-up" | "prompt" }
    >
  | { readonly type: "thinking"; readonly characters: number }
  | {
      readonly type: "answering";
      /** Undefined until some time has passed. */
      readonly tokensPerSecond: number | undefined;
      readonly ttftMs: number;
    };

export interface Activity {
  readonly phase: ActivityPhase;
  /** Milliseconds since the message was sent. */
  readonly elapsedMs: number;
}

/** All times are milliseconds of the caller's clock. */
export class RunningAnswer {
  readonly id: number;
  readonly #startedAtMs: number;
  readonly #meter = new ThroughputMeter();
  readonly #turns = new TurnSteps();
  #phase: ActivityPhase = { type: "waiting" };
  #thinking = "";
  #thinkingSinceMs: number | undefined;
  #thinkingMs: number | undefined;
  #ttftMs: number | undefined;

  /** @param id of its entry in the transcript */
  constructor(id: number, startedAtMs: number) {
    this.id = id;
    this.#startedAtMs = startedAtMs;
  }

  /** Milliseconds from sending to the first text; undefined until there is one. */
  get ttftMs(): number | undefined {
    return this.#ttftMs;
  }

  /** True if the answer has text or tool calls; an empty one does not count. */
  get hasContent(): boolean {
    return this.#turns.hasContent;
  }

  receive(event: Exclude<ChatEvent, { type: "done" | "warning" }>, nowMs: number): void {
    switch (event.type) {
      case "text":
        this.#meter.add(nowMs);
        this.#ttftMs ??= nowMs - this.#startedAtMs;
        if (this.#thinkingSinceMs !== undefined) this.#thinkingMs ??= nowMs - this.#thinkingSinceMs;
        this.#turns.receive(event);
        break;
      case "thinking":
        this.#thinkingSinceMs ??= nowMs;
        this.#thinking += event.text;
        this.#phase = { type: "thinking", characters: this.#thinking.length };
        break;
      case "tool-call":
      case "tool-result":
        this.#turns.receive(event);
        break;
      default:
        this.#phase = event;
    }
  }

  activity(nowMs: number): Activity {
    const ttftMs = this.#ttftMs;
    const phase: ActivityPhase =
      ttftMs === undefined
        ? this.#phase
        : { type: "answering", tokensPerSecond: this.#meter.rate(nowMs), ttftMs };
    return { phase, elapsedMs: nowMs - this.#startedAtMs };
  }

  entry(
    state: AnswerState,
    shown: Pick<AssistantEntry, "isThinkingOpen" | "note" | "atMs">,
  ): AssistantEntry {
    return {
      ...shown,
      kind: "assistant",
      id: this.id,
      state,
      thinking: this.#thinking || undefined,
      thinkingMs: this.#thinkingMs,
      ...this.#turns.parts,
    };
  }
}

const windowMs = 1000;

/** Measures tokens per second of a running answer over the last second. */
export class ThroughputMeter {
  #times: number[] = [];
  #firstMs: number | undefined;

  add(nowMs: number): void {
    this.#firstMs ??= nowMs;
    this.#times.push(nowMs);
  }

  /**
   * Returns tokens per second; in the first second of an answer the mean since its first token.
   * Undefined until some time has passed.
   */
  rate(nowMs: number): number | undefined {
    const start = nowMs - windowMs;
    this.#times = this.#times.filter((time) => time > start);
    if (this.#firstMs === undefined) return undefined;
    if (this.#firstMs <= start) return this.#times.length / (windowMs / 1000);
    // The first token marks the start, so it does not count.
    const spanMs = nowMs - this.#firstMs;
    const tokens = this.#times.length - 1;
    return tokens < 1 || spanMs <= 0 ? undefined : (tokens * 1000) / spanMs;
  }
}
