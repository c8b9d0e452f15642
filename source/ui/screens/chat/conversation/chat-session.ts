// The conversation with the model: sends, collects the answer in batches, keeps what was said.

import type { Clock } from "../../../../base/clock.ts";
import type { ChatEvent } from "../../../../client/chat-events.ts";
import { reduceEditor } from "../../../editor/editor-reducer.ts";
import type { Store } from "../../../hooks/store.ts";
import type { ChatBackend } from "../chat-backend.ts";
import type { ActivityPhase, ChatState } from "../chat-state.ts";
import { followTail } from "../transcript/transcript-window.ts";
import {
  answerStateOf,
  figuresOf,
  nextKeys,
  noteOf,
  tokensAfter,
  withError,
} from "./answer-outcome.ts";
import { type AnswerEnd, consumeAnswer } from "./consume-answer.ts";
import { ThroughputMeter } from "./throughput-meter.ts";
import {
  type AnswerState,
  type AssistantEntry,
  conversationOf,
  type EntryImage,
  type EntryToolCall,
  nextEntryId,
  type TranscriptEntry,
  type UserEntry,
} from "./transcript-entry.ts";

/** Text of an answer reaches the screen at most this often. */
const flushIntervalMs = 40;
/** Waiting times and rates are renewed this often while nothing arrives. */
const tickIntervalMs = 500;
/** Answers whose waiting times are kept. */
const waitsMaximum = 50;
/** A program that is killed loses at most this much of an answer. */
const keepIntervalMs = 3000;

/** A message on its way. */
export interface Question {
  readonly text: string;
  /** What goes back into the editor when no answer comes. */
  readonly typed: string;
  readonly images?: readonly EntryImage[];
  /** Those of the images that wait again when no answer comes: what is typed does not name them. */
  readonly waiting?: readonly EntryImage[];
}

/** The request that runs. */
interface Run {
  readonly controller: AbortController;
  readonly question: Question;
  readonly answerEntryId: number;
  /** What the transcript becomes again when no answer comes. */
  readonly before: readonly TranscriptEntry[];
  /** The question was asked before: it does not go into the editor. */
  readonly isRepeated: boolean;
  readonly startedAtMs: number;
  readonly meter: ThroughputMeter;
  readonly ticker: NodeJS.Timeout;
  keptAtMs: number;
  flushTimer: NodeJS.Timeout | undefined;
  text: string;
  thinking: string;
  thinkingSinceMs: number | undefined;
  thinkingMs: number | undefined;
  readonly toolCalls: EntryToolCall[];
  ttftMs: number | undefined;
  phase: ActivityPhase;
}

export interface ChatSessionOptions {
  readonly backend: ChatBackend;
  readonly store: Store<ChatState>;
  readonly clock: Clock;
  /** Called when something was said that is to be kept. */
  readonly onSaid: () => void;
}

export class ChatSession {
  readonly #options: ChatSessionOptions;
  #run: Run | undefined;

  constructor(options: ChatSessionOptions) {
    this.#options = options;
  }

  get isBusy(): boolean {
    return this.#run !== undefined;
  }

  /**
   * Sends a message; the answer arrives in the store. Resolves when the answer has ended.
   * @param after the entries that it follows. Defaults to all there are.
   */
  async send(question: Question, after = this.#state.entries): Promise<void> {
    if (this.#run !== undefined) return;
    const before = this.#state.entries;
    await this.#ask(question, after, { before, isRepeated: false });
  }

  /** Asks a question of the transcript again, in place of everything behind it. */
  async askAgain({ text, typed, images }: UserEntry, after: readonly TranscriptEntry[]) {
    if (this.#run !== undefined) return;
    const before = this.#state.entries;
    const question = { text, typed: typed ?? text, ...(images !== undefined && { images }) };
    await this.#ask(question, after, { before, isRepeated: true });
  }

  /** Stops the running answer and keeps what there is of it. */
  stop(): void {
    const run = this.#run;
    if (run === undefined) return;
    run.controller.abort();
    this.#close(run, { kind: "stopped" });
  }

  get #state(): ChatState {
    return this.#options.store.get();
  }

  async #ask(
    question: Question,
    after: readonly TranscriptEntry[],
    undo: Pick<Run, "before" | "isRepeated">,
  ): Promise<void> {
    const { store, backend, clock, onSaid } = this.#options;
    const { text, typed, images = [] } = question;
    // Also above the ids of what is taken away: places in the view go by them.
    const id = Math.max(nextEntryId(after), nextEntryId(undo.before));
    const asked: TranscriptEntry[] = [
      ...after,
      {
        kind: "user",
        id,
        text,
        ...(typed !== text && { typed }),
        ...(images.length > 0 && { images }),
        atMs: clock.wallMs(),
      },
    ];
    const run = this.#createRun(question, id + 1, undo);
    this.#run = run;
    store.update({
      entries: [...asked, this.#answerOf(run, "running")],
      activity: { phase: run.phase, elapsedMs: 0 },
      viewport: followTail,
    });
    onSaid();
    const { signal } = run.controller;
    const { settings } = this.#state;
    const end = await consumeAnswer(
      () => backend.chat(conversationOf(asked), settings, signal),
      signal,
      (event) => this.#receive(run, event),
    );
    // A stopped run has been closed already.
    if (this.#run === run) this.#close(run, end);
  }

  #createRun(
    question: Question,
    answerEntryId: number,
    undo: Pick<Run, "before" | "isRepeated">,
  ): Run {
    const run: Run = {
      controller: new AbortController(),
      question,
      answerEntryId,
      ...undo,
      startedAtMs: this.#options.clock.now(),
      meter: new ThroughputMeter(),
      ticker: setInterval(() => this.#flush(run), tickIntervalMs),
      keptAtMs: this.#options.clock.now(),
      flushTimer: undefined,
      text: "",
      thinking: "",
      thinkingSinceMs: undefined,
      thinkingMs: undefined,
      toolCalls: [],
      ttftMs: undefined,
      phase: { kind: "waiting" },
    };
    return run;
  }

  #receive(run: Run, event: ChatEvent): void {
    if (this.#run !== run) return;
    const nowMs = this.#options.clock.now();
    switch (event.type) {
      case "text":
        run.meter.add(nowMs);
        run.ttftMs ??= nowMs - run.startedAtMs;
        if (run.thinkingSinceMs !== undefined) run.thinkingMs ??= nowMs - run.thinkingSinceMs;
        run.text += event.text;
        break;
      case "thinking":
        run.thinkingSinceMs ??= nowMs;
        run.thinking += event.text;
        run.phase = { kind: "thinking", characters: run.thinking.length };
        break;
      case "tool-call":
        run.toolCalls.push({ name: event.name, arguments: event.arguments });
        break;
      case "queued":
        run.phase = { kind: "queued", ahead: event.ahead };
        break;
      case "checking":
        run.phase = { kind: "checking", file: event.file, fraction: event.fraction };
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
    const nowMs = this.#options.clock.now();
    const phase: ActivityPhase =
      run.ttftMs === undefined
        ? run.phase
        : { kind: "answering", tokensPerSecond: run.meter.rate(nowMs), ttftMs: run.ttftMs };
    this.#options.store.update({
      entries: this.#withAnswer(this.#answerOf(run, "running")),
      activity: { phase, elapsedMs: nowMs - run.startedAtMs },
    });
    if (nowMs - run.keptAtMs < keepIntervalMs) return;
    run.keptAtMs = nowMs;
    this.#options.onSaid();
  }

  #answerOf(run: Run, state: AnswerState, end?: AnswerEnd): AssistantEntry {
    const { text, thinking, thinkingMs, toolCalls, answerEntryId: id } = run;
    const shown = this.#state.entries.find((entry) => entry.id === id);
    const isThinkingOpen = shown?.kind === "assistant" && shown.isThinkingOpen === true;
    const note = end === undefined ? "" : noteOf(run.ttftMs, end);
    return {
      kind: "assistant",
      id,
      text,
      state,
      ...(thinking !== "" && { thinking, isThinkingOpen }),
      ...(thinkingMs !== undefined && { thinkingMs }),
      ...(toolCalls.length > 0 && { toolCalls: [...toolCalls] }),
      ...(note !== "" && { note }),
      ...(end !== undefined && { atMs: this.#options.clock.wallMs() }),
    };
  }

  #withAnswer(answer: AssistantEntry): readonly TranscriptEntry[] {
    const { entries } = this.#state;
    const index = entries.findLastIndex(({ id }) => id === answer.id);
    return index === -1 ? entries : entries.with(index, answer);
  }

  #close(run: Run, end: AnswerEnd): void {
    clearInterval(run.ticker);
    clearTimeout(run.flushTimer);
    this.#run = undefined;
    const { store, onSaid } = this.#options;
    const hasText = run.text.trim() !== "" || run.toolCalls.length > 0;
    const isAnswered = end.kind === "done" || hasText;
    const kept = isAnswered
      ? this.#withAnswer(this.#answerOf(run, answerStateOf(end), end))
      : restored(run, this.#state.entries);
    const { editor, figures, waitsMs, contextTokens } = this.#state;
    const { typed, waiting = [] } = run.question;
    const { ttftMs } = run;
    store.update({
      entries:
        end.kind === "failed"
          ? withError(kept, end.sentence, nextKeys(end.sentence, isAnswered, run.isRepeated))
          : kept,
      activity: undefined,
      figures: isAnswered ? figuresOf(ttftMs, end) : figures,
      waitsMs:
        isAnswered && ttftMs !== undefined ? [...waitsMs, ttftMs].slice(-waitsMaximum) : waitsMs,
      contextTokens:
        end.kind === "done" ? tokensAfter(end) : isAnswered ? undefined : contextTokens,
      // A question without an answer would leave two questions in a row: it goes back to be edited.
      ...(isAnswered || run.isRepeated
        ? {}
        : {
            editor: reduceEditor(editor, { type: "restore", text: typed }),
            waitingImages: waiting,
          }),
    });
    onSaid();
  }
}

/** The transcript without the question that got no answer, and with what was said meanwhile. */
function restored(run: Run, entries: readonly TranscriptEntry[]): readonly TranscriptEntry[] {
  return [...run.before, ...entries.filter(({ id }) => id > run.answerEntryId)];
}
