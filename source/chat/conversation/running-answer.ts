// The answer being received: text so far, and progress of the request.

import type { ChatEvent } from "../../client/chat-events.ts";
import type { CallQuestion } from "./call-text.ts";
import type { AnswerState, AssistantEntry, EntryImage, OpenCall } from "./transcript-entry.ts";
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
    }
  /** A call waits for a person's decision, or runs. */
  | { readonly type: "calling"; readonly call: OpenCall };

export interface Activity {
  readonly phase: ActivityPhase;
  /** Milliseconds since the message was sent, or since the last call ended. */
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
  /** Text of the model's turn is arriving. */
  #isWriting = false;
  #turnAtMs: number;
  #call: (Omit<OpenCall, "elapsedMs"> & { readonly sinceMs: number }) | undefined;

  /** @param id of its entry in the transcript */
  constructor(id: number, startedAtMs: number) {
    this.id = id;
    this.#startedAtMs = startedAtMs;
    this.#turnAtMs = startedAtMs;
  }

  /** Milliseconds from sending to the first text; undefined until there is one. */
  get ttftMs(): number | undefined {
    return this.#ttftMs;
  }

  /** True if the answer has text or tool calls; an empty one does not count. */
  get hasContent(): boolean {
    return this.#turns.hasContent;
  }

  /** @param pictures images of a result with small pictures */
  receive(
    event: Exclude<ChatEvent, { type: "done" | "warning" }>,
    nowMs: number,
    pictures?: readonly EntryImage[],
  ): void {
    switch (event.type) {
      case "text":
        this.#meter.add(nowMs);
        this.#ttftMs ??= nowMs - this.#startedAtMs;
        this.#isWriting = true;
        if (this.#thinkingSinceMs !== undefined) this.#thinkingMs ??= nowMs - this.#thinkingSinceMs;
        this.#turns.receive(event);
        break;
      case "thinking":
        this.#thinkingSinceMs ??= nowMs;
        this.#thinking += event.text;
        this.#phase = { type: "thinking", characters: this.#thinking.length };
        break;
      case "tool-call":
        this.#ttftMs ??= nowMs - this.#startedAtMs;
        this.#turns.receive(event);
        break;
      case "tool-start": {
        const { name, server } = event;
        this.#call = { name, server, state: "running", sinceMs: nowMs };
        break;
      }
      case "tool-result":
        this.#turns.receive(event, pictures);
        this.#call = undefined;
        this.#isWriting = false;
        this.#phase = { type: "waiting" };
        this.#turnAtMs = nowMs;
        break;
      default:
        this.#phase = event;
    }
  }

  /** A person is asked about the call that has started, also after changing its arguments. */
  ask({ tool, arguments: values, isFromText }: CallQuestion, nowMs: number): void {
    const { server, name, isReadOnly, alwaysAsks = false } = tool;
    this.#turns.changeNext(values);
    const isKeepable = !alwaysAsks && !isFromText;
    const facts = { server, name, isReadOnly, isFromText, isKeepable };
    this.#call = { ...facts, state: "asking", sinceMs: nowMs };
  }

  /** The person has decided: the call runs. */
  decided(nowMs: number): void {
    if (this.#call !== undefined) {
      this.#call = { ...this.#call, state: "running", sinceMs: nowMs };
    }
  }

  /** Gives the calls without a result one that says so: many models need one for each call. */
  cancelCalls(): void {
    const { server = "" } = this.#call ?? {};
    for (let next = this.#turns.next; next !== undefined; next = this.#turns.next) {
      const result = {
        text: "Cancelled by the user.",
        isError: true,
        ending: "cancelled",
      } as const;
      this.#turns.receive({ type: "tool-result", ...next, server, ...result });
    }
    this.#call = undefined;
  }

  activity(nowMs: number): Activity {
    const ttftMs = this.#ttftMs;
    const elapsedMs = nowMs - this.#turnAtMs;
    const call = this.#openCall(nowMs);
    if (call !== undefined) return { phase: { type: "calling", call }, elapsedMs };
    const phase: ActivityPhase =
      ttftMs === undefined || !this.#isWriting
        ? this.#phase
        : { type: "answering", tokensPerSecond: this.#meter.rate(nowMs), ttftMs };
    return { phase, elapsedMs };
  }

  #openCall(nowMs: number): OpenCall | undefined {
    if (this.#call === undefined) return undefined;
    const { sinceMs, ...call } = this.#call;
    return { ...call, elapsedMs: nowMs - sinceMs };
  }

  entry(
    state: AnswerState,
    shown: Pick<AssistantEntry, "isThinkingOpen" | "areResultsOpen" | "note" | "atMs">,
    nowMs: number,
  ): AssistantEntry {
    return {
      ...shown,
      kind: "assistant",
      id: this.id,
      state,
      thinking: this.#thinking || undefined,
      thinkingMs: this.#thinkingMs,
      ...this.#turns.parts,
      openCall: this.#openCall(nowMs),
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
