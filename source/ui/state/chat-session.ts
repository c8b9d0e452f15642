// The conversation with the model: sends, collects the answer in batches, keeps what was said.

import type { Clock } from "../../base/clock.ts";
import type { ChatEvent } from "../../client/chat-events.ts";
import type { ChatBackend } from "../chat-backend.ts";
import { reduceEditor } from "../editor/editor-reducer.ts";
import { followTail } from "../view/viewport.ts";
import {
  type ActivityPhase,
  type AnswerFigures,
  type AnswerState,
  type ChatState,
  conversationOf,
  nextEntryId,
  type TranscriptEntry,
} from "./chat-state.ts";
import { type AnswerEnd, consumeAnswer } from "./consume-answer.ts";
import type { Store } from "./store.ts";
import { ThroughputMeter } from "./throughput-meter.ts";

/** Text of an answer reaches the screen at most this often. */
const flushIntervalMs = 40;
/** Waiting times and rates are renewed this often while nothing arrives. */
const tickIntervalMs = 500;

/** The request that runs. */
interface Run {
  readonly controller: AbortController;
  readonly userEntryId: number;
  readonly answerEntryId: number;
  /** What the person typed, for the way back into the editor. */
  readonly typed: string;
  readonly startedAtMs: number;
  readonly meter: ThroughputMeter;
  readonly ticker: NodeJS.Timeout;
  flushTimer: NodeJS.Timeout | undefined;
  text: string;
  ttftMs: number | undefined;
  phase: ActivityPhase;
}

export class ChatSession {
  readonly #backend: ChatBackend;
  readonly #store: Store<ChatState>;
  readonly #clock: Clock;
  #run: Run | undefined;

  constructor(backend: ChatBackend, store: Store<ChatState>, clock: Clock) {
    this.#backend = backend;
    this.#store = store;
    this.#clock = clock;
  }

  get isBusy(): boolean {
    return this.#run !== undefined;
  }

  /**
   * Sends a message; the answer arrives in the store. Resolves when the answer has ended.
   * @param typed what goes back into the editor when no answer comes
   */
  async send(text: string, typed: string): Promise<void> {
    if (this.#run !== undefined) return;
    const { entries, settings } = this.#store.get();
    const userEntryId = nextEntryId(entries);
    const asked: TranscriptEntry[] = [...entries, { kind: "user", id: userEntryId, text }];
    const run = this.#createRun(userEntryId, typed);
    this.#run = run;
    const answer: TranscriptEntry = {
      kind: "assistant",
      id: run.answerEntryId,
      text: "",
      state: "running",
    };
    this.#store.update({
      entries: [...asked, answer],
      activity: { phase: run.phase, elapsedMs: 0 },
      viewport: followTail,
    });
    const { signal } = run.controller;
    const end = await consumeAnswer(
      () => this.#backend.chat(conversationOf(asked), settings, signal),
      signal,
      (event) => this.#receive(run, event),
    );
    // A stopped run has been closed already.
    if (this.#run === run) this.#close(run, end);
  }

  /** Stops the running answer and keeps what there is of it. */
  stop(): void {
    const run = this.#run;
    if (run === undefined) return;
    run.controller.abort();
    this.#close(run, { kind: "stopped" });
  }

  #createRun(userEntryId: number, typed: string): Run {
    const run: Run = {
      controller: new AbortController(),
      userEntryId,
      answerEntryId: userEntryId + 1,
      typed,
      startedAtMs: this.#clock.now(),
      meter: new ThroughputMeter(),
      ticker: setInterval(() => this.#flush(run), tickIntervalMs),
      flushTimer: undefined,
      text: "",
      ttftMs: undefined,
      phase: { kind: "waiting" },
    };
    return run;
  }

  #receive(run: Run, event: ChatEvent): void {
    if (this.#run !== run) return;
    const nowMs = this.#clock.now();
    switch (event.type) {
      case "text":
        run.meter.add(nowMs);
        run.ttftMs ??= nowMs - run.startedAtMs;
        run.text += event.text;
        break;
      case "thinking": {
        const before = run.phase.kind === "thinking" ? run.phase.characters : 0;
        run.phase = { kind: "thinking", characters: before + event.text.length };
        break;
      }
      case "queued":
        run.phase = { kind: "queued", ahead: event.ahead };
        break;
      case "loading":
        run.phase = { kind: "loading", fraction: event.fraction };
        break;
      case "prompt": {
        const { completedTokens, totalTokens } = event;
        run.phase = { kind: "prompt", completedTokens, totalTokens };
        break;
      }
      case "done":
        return;
    }
    run.flushTimer ??= setTimeout(() => this.#flush(run), flushIntervalMs);
  }

  /** Brings what has come since the last flush onto the screen. */
  #flush(run: Run): void {
    clearTimeout(run.flushTimer);
    run.flushTimer = undefined;
    const nowMs = this.#clock.now();
    const phase: ActivityPhase =
      run.ttftMs === undefined
        ? run.phase
        : { kind: "answering", tokensPerSecond: run.meter.rate(nowMs), ttftMs: run.ttftMs };
    this.#store.update({
      entries: this.#entriesWithAnswer(run, "running"),
      activity: { phase, elapsedMs: nowMs - run.startedAtMs },
    });
  }

  #entriesWithAnswer(run: Run, state: AnswerState): readonly TranscriptEntry[] {
    const { entries } = this.#store.get();
    return entries.map((entry): TranscriptEntry => {
      if (entry.id !== run.answerEntryId) return entry;
      return { kind: "assistant", id: entry.id, text: run.text, state };
    });
  }

  #close(run: Run, end: AnswerEnd): void {
    clearInterval(run.ticker);
    clearTimeout(run.flushTimer);
    this.#run = undefined;
    const isAnswered = end.kind === "done" || run.text.trim() !== "";
    const kept = isAnswered
      ? this.#entriesWithAnswer(run, answerStateOf(end))
      : this.#store
          .get()
          .entries.filter(({ id }) => id < run.userEntryId || id > run.answerEntryId);
    const { editor, figures } = this.#store.get();
    this.#store.update({
      entries: end.kind === "failed" ? withError(kept, end.sentence) : kept,
      activity: undefined,
      figures: isAnswered ? figuresOf(run.ttftMs, end) : figures,
      // A question without an answer would leave two questions in a row: it goes back to be edited.
      editor: isAnswered ? editor : reduceEditor(editor, { type: "restore", text: run.typed }),
    });
  }
}

function answerStateOf(end: AnswerEnd): AnswerState {
  if (end.kind !== "done") return end.kind;
  return end.statistics.finishReason === "length" ? "limit" : "complete";
}

function figuresOf(ttftMs: number | undefined, end: AnswerEnd): AnswerFigures {
  return { ttftMs, statistics: end.kind === "done" ? end.statistics : undefined };
}

function withError(
  entries: readonly TranscriptEntry[],
  sentence: string,
): readonly TranscriptEntry[] {
  return [...entries, { kind: "error", id: nextEntryId(entries), text: sentence }];
}
