// The conversation with the model: sends, batches the answer, records both.

import type { Clock } from "../../../base/clock.ts";
import { describeError } from "../../../base/product-error.ts";
import type { Store } from "../../../base/store.ts";
import type { ChatBackend, ChatTools } from "../../../chat/chat-backend.ts";
import {
  type AnswerEnd,
  answerStateOf,
  nextKeys,
  noteOf,
} from "../../../chat/conversation/answer-end.ts";
import { previewRows } from "../../../chat/conversation/attach-prompt.ts";
import type { CallQuestion, Decision } from "../../../chat/conversation/call-text.ts";
import { RunningAnswer } from "../../../chat/conversation/running-answer.ts";
import {
  type AnswerState,
  conversationOf,
  type EntryImage,
  nextEntryId,
  type TranscriptEntry,
  type UserEntry,
} from "../../../chat/conversation/transcript-entry.ts";
import type { ChatEvent, ResultImage } from "../../../client/chat-events.ts";
import { reduceEditor } from "../../editor/editor-reducer.ts";
import type { ChatState } from "./chat-state.ts";
import { followTail } from "./transcript/transcript-window.ts";

/** Text of an answer reaches the screen at most this often. */
const flushIntervalMs = 40;
/** Interval for updating waiting times and rates while nothing arrives. */
const tickIntervalMs = 500;
/** Answers whose waiting times are kept. */
const waitsMaximum = 50;
/** A program that is killed loses at most this much of an answer. */
const keepIntervalMs = 3000;

export interface Question extends Pick<UserEntry, "text" | "images" | "files"> {
  /** Restored in the editor when no answer comes. */
  readonly typed: string;
  /** Images that the typed text does not name: they wait again if no answer comes. */
  readonly waiting?: readonly EntryImage[];
}

interface Run {
  readonly controller: AbortController;
  readonly answerNow: AbortController;
  readonly question: Question;
  readonly answer: RunningAnswer;
  /** The transcript when no answer comes. */
  readonly before: readonly TranscriptEntry[];
  /** The question was asked before: it does not go into the editor. */
  readonly isRepeated: boolean;
  readonly ticker: NodeJS.Timeout;
  /** Sentences so far. */
  readonly warnings: string[];
  keptAtMs: number;
  flushTimer: NodeJS.Timeout | undefined;
}

/** A call that waits for a person's decision. */
interface AskedCall {
  readonly question: CallQuestion;
  readonly decide: (decision: Decision) => void;
}

export interface ChatSessionOptions {
  readonly backend: ChatBackend;
  readonly store: Store<ChatState>;
  readonly clock: Clock;
  /** Called when the conversation has changed and should be saved. */
  readonly onSaid: () => void;
  readonly tools: ChatTools | undefined;
  /** Called when a call waits for a decision, and when it does no longer. */
  readonly onAsked: (question: CallQuestion | undefined) => void;
  /** Called when an answer has ended, and another may begin. */
  readonly onEnded: (state: AnswerState) => void;
}

export class ChatSession {
  readonly #options: ChatSessionOptions;
  #run: Run | undefined;
  #asked: AskedCall | undefined;

  constructor(options: ChatSessionOptions) {
    this.#options = options;
    const { tools } = options;
    if (tools !== undefined) tools.ask = (question, signal) => this.#askAbout(question, signal);
  }

  /** True if the running answer has text or calls. */
  get hasContent(): boolean {
    return this.#run?.answer.hasContent ?? false;
  }

  /** The call that waits for a decision. */
  get question(): CallQuestion | undefined {
    return this.#asked?.question;
  }

  /** Decides about the call; does nothing if it does not wait any more. */
  decide(question: CallQuestion, decision: Decision): void {
    if (this.#asked?.question === question) this.#asked.decide(decision);
  }

  /** Asks again, with other arguments. */
  changeArguments(question: CallQuestion, values: CallQuestion["arguments"]): void {
    if (this.#asked?.question !== question) return;
    this.#show({ ...this.#asked, question: { ...question, arguments: values } });
  }

  get isBusy(): boolean {
    return this.#run !== undefined;
  }

  /**
   * Sends a message; the answer arrives in the store. Resolves when the answer has ended.
   * @param after the entries that it follows
   */
  async send(question: Question, after: readonly TranscriptEntry[]): Promise<void> {
    if (this.#run === undefined) await this.#ask(question, after, false);
  }

  /** Asks a question of the transcript again, replacing everything after it. */
  async askAgain(
    { text, typed = text, images, files }: UserEntry,
    after: readonly TranscriptEntry[],
  ): Promise<void> {
    if (this.#run === undefined) await this.#ask({ text, typed, images, files }, after, true);
  }

  stop(): void {
    const run = this.#run;
    if (run === undefined) return;
    run.controller.abort();
    this.#close(run, { kind: "stopped" });
  }

  /** Ends the model's thinking, so that its answer follows. */
  answerNow(): void {
    this.#run?.answerNow.abort();
  }

  get #state(): ChatState {
    return this.#options.store.get();
  }

  async #ask(
    question: Question,
    after: readonly TranscriptEntry[],
    isRepeated: boolean,
  ): Promise<void> {
    const { store, backend, clock, onSaid } = this.#options;
    const { text, typed, images = [], files = [] } = question;
    const before = this.#state.entries;
    // Never reuses ids of removed entries, which positions in the view refer to.
    const id = Math.max(nextEntryId(after), nextEntryId(before));
    const asked: TranscriptEntry[] = [
      ...after,
      {
        kind: "user",
        id,
        text,
        typed: typed === text ? undefined : typed,
        images: images.length > 0 ? images : undefined,
        files: files.length > 0 ? files : undefined,
        atMs: clock.wallMs(),
      },
    ];
    const answer = new RunningAnswer(id + 1, clock.now());
    const run: Run = {
      controller: new AbortController(),
      answerNow: new AbortController(),
      question,
      answer,
      before,
      isRepeated,
      ticker: setInterval(() => this.#flush(run), tickIntervalMs),
      warnings: [],
      keptAtMs: clock.now(),
      flushTimer: undefined,
    };
    this.#run = run;
    store.update({
      entries: [...asked, answer.entry("running", {}, clock.now())],
      activity: answer.activity(clock.now()),
      viewport: followTail,
    });
    onSaid();
    const { controller, answerNow } = run;
    const { settings } = this.#state;
    try {
      const messages = conversationOf(asked);
      const events = backend.chat(messages, settings, controller.signal, answerNow.signal);
      for await (const event of events) {
        if (event.type === "tool-result" && event.images !== undefined) {
          this.#receive(run, event, await Promise.all(event.images.map(withPreview)));
        } else if (event.type !== "done") this.#receive(run, event);
        else this.#close(run, { kind: "done", statistics: event.statistics });
      }
      this.#close(run, { kind: "failed", sentence: "The answer ended unexpectedly." });
    } catch (error) {
      this.#close(run, { kind: "failed", sentence: describeError(error) });
    }
  }

  /** @throws the signal's reason when the answer is stopped */
  async #askAbout(question: CallQuestion, signal: AbortSignal): Promise<Decision> {
    const run = this.#run;
    const { promise, resolve, reject } = Promise.withResolvers<Decision>();
    const onAbort = () => reject(signal.reason);
    signal.throwIfAborted();
    signal.addEventListener("abort", onAbort, { once: true });
    this.#show({ question, decide: resolve });
    try {
      return await promise;
    } finally {
      signal.removeEventListener("abort", onAbort);
      this.#asked = undefined;
      if (run !== undefined && run === this.#run) {
        run.answer.decided(this.#options.clock.now());
        this.#flush(run);
      }
      this.#options.onAsked(undefined);
    }
  }

  #show(asked: AskedCall): void {
    this.#asked = asked;
    this.#run?.answer.ask(asked.question, this.#options.clock.now());
    if (this.#run !== undefined) this.#flush(this.#run);
    this.#options.onAsked(asked.question);
  }

  #receive(
    run: Run,
    event: Exclude<ChatEvent, { type: "done" }>,
    pictures?: readonly EntryImage[],
  ): void {
    if (this.#run !== run) return;
    if (event.type === "warning") {
      run.warnings.push(event.sentence);
      this.#options.store.update({ notice: { text: run.warnings.join(" "), isWarning: true } });
      return;
    }
    run.answer.receive(event, this.#options.clock.now(), pictures);
    run.flushTimer ??= setTimeout(() => this.#flush(run), flushIntervalMs);
  }

  /** Shows text that arrived since the last flush. */
  #flush(run: Run): void {
    clearTimeout(run.flushTimer);
    run.flushTimer = undefined;
    const nowMs = this.#options.clock.now();
    this.#options.store.update({
      entries: this.#withAnswer(run.answer, "running"),
      activity: run.answer.activity(nowMs),
    });
    if (nowMs - run.keptAtMs < keepIntervalMs) return;
    run.keptAtMs = nowMs;
    this.#options.onSaid();
  }

  /** Returns the transcript with the partial answer, whose thinking the user may have expanded. */
  #withAnswer(
    answer: RunningAnswer,
    state: AnswerState,
    ending: { readonly note?: string; readonly atMs?: number } = {},
  ): readonly TranscriptEntry[] {
    const { entries } = this.#state;
    const index = entries.findLastIndex(({ id }) => id === answer.id);
    const shown = entries[index];
    if (shown?.kind !== "assistant") return entries;
    const { isThinkingOpen, areResultsOpen } = shown;
    const kept = { isThinkingOpen, areResultsOpen, ...ending };
    return entries.with(index, answer.entry(state, kept, this.#options.clock.now()));
  }

  /** Only the first call for a run counts: it may have been stopped, or have ended. */
  #close(run: Run, end: AnswerEnd): void {
    if (this.#run !== run) return;
    clearInterval(run.ticker);
    clearTimeout(run.flushTimer);
    this.#run = undefined;
    const { store, clock, onSaid, onEnded } = this.#options;
    const { answer, question, isRepeated } = run;
    if (this.#options.tools !== undefined && end.kind !== "done") answer.cancelCalls();
    const isAnswered = end.kind === "done" || answer.hasContent;
    const state = answerStateOf(end);
    const ending = { note: noteOf(answer.ttftMs, end), atMs: clock.wallMs() };
    const entries = isAnswered
      ? this.#withAnswer(answer, state, ending)
      : // Drops the unanswered question, and keeps entries added meanwhile.
        [...run.before, ...this.#state.entries.filter(({ id }) => id > answer.id)];
    const { typed, waiting = [] } = question;
    store.update({
      entries: end.kind === "failed" ? withError(entries, end.sentence, isAnswered, run) : entries,
      activity: undefined,
      ...(isAnswered && this.#figuresAfter(answer, end)),
      // A question without an answer returns to the field, as two questions in a row are invalid.
      ...(!isAnswered &&
        !isRepeated && {
          editor: reduceEditor(this.#state.editor, { type: "restore", text: typed }),
          waitingImages: [...waiting, ...this.#state.waitingImages],
        }),
    });
    onSaid();
    onEnded(state);
  }

  #figuresAfter({ ttftMs }: RunningAnswer, end: AnswerEnd): Partial<ChatState> {
    const { waitsMs } = this.#state;
    const statistics = end.kind === "done" ? end.statistics : undefined;
    return {
      figures: { ttftMs, statistics },
      waitsMs: ttftMs === undefined ? waitsMs : [...waitsMs, ttftMs].slice(-waitsMaximum),
      contextTokens: statistics && statistics.promptTokens + statistics.completionTokens,
    };
  }
}

async function withPreview(image: ResultImage): Promise<EntryImage> {
  return { ...image, preview: await previewRows(image.base64) };
}

function withError(
  entries: readonly TranscriptEntry[],
  text: string,
  isAnswered: boolean,
  { isRepeated }: Run,
): readonly TranscriptEntry[] {
  const next = nextKeys(text, isAnswered, isRepeated);
  return [...entries, { kind: "error", id: nextEntryId(entries), text, next }];
}
