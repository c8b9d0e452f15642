// A request in the binding's engine, from start to its last event.
import type { GenerationRequest } from "../generation.ts";
import { type AnswerPiece, AnswerText } from "../text/answer-text.ts";
import { type AnswerEnd, isStuck, type LoopEvent } from "../text/job.ts";
import { grammarOf, MarkWatcher } from "../text/mark-watcher.ts";
import { ThinkingLimit } from "../text/thinking-limit.ts";
import type { CompletionResult } from "./binding.ts";

/** Prompt in the binding's form, with its tokens. */
export interface CountedPrompt {
  text: string;
  /** Data URIs. */
  media: string[];
  tokens: readonly number[];
}

const encoder = new TextEncoder();

export class VisionJob {
  readonly id: number;
  readonly request: GenerationRequest;
  readonly emit: (event: LoopEvent) => void;
  isCancelled = false;
  /** Grammar for the rest of the answer. */
  grammar: string | undefined;
  reportedAhead: number | undefined;
  /** Text that the binding has delivered since it was started or resumed. */
  received = "";
  readonly #answer: AnswerText;
  /** Undefined if no mark is expected, or no longer. */
  #watcher: MarkWatcher | undefined;
  /** Undefined if the thinking has no limit, or once it was applied. */
  #thinking: ThinkingLimit | undefined;
  #answersNow = false;
  #isPaused = false;
  #maxTokens = 0;
  readonly #arrived = performance.now();
  #admitted: number | undefined;
  #firstToken: number | undefined;
  #lastToken: number | undefined;
  #promptTokens = 0;
  #cachedTokens = 0;
  #generated = 0;
  #stop: string | undefined;
  #last: string | undefined;
  #repeated = 0;

  constructor(id: number, request: GenerationRequest, emit: (event: LoopEvent) => void) {
    this.id = id;
    this.request = request;
    this.emit = emit;
    this.grammar = request.grammar;
    this.#answer = new AnswerText(request.stop);
    if (request.lazy !== undefined) this.#watcher = new MarkWatcher(request.lazy);
  }

  /** A stop text was found, or the request was cancelled: further text is ignored. */
  get hasEnded(): boolean {
    return this.isCancelled || this.#stop !== undefined || this.#isStuck;
  }

  /** A mark was written or the thinking was closed: the answer continues in another completion. */
  get isPaused(): boolean {
    return this.#isPaused && !this.hasEnded && this.tokensLeft > 0;
  }

  /** Tokens that may still be generated. */
  get tokensLeft(): number {
    return this.#maxTokens - this.#generated;
  }

  /** Marks the end of waiting in the queue. */
  admit(): void {
    this.#admitted = performance.now();
  }

  start(promptTokens: number, maxTokens: number): void {
    this.#promptTokens = promptTokens;
    this.#maxTokens = maxTokens;
    const { thinking, grammar } = this.request;
    // A grammar would start over in another completion.
    if (thinking !== undefined && grammar === undefined) {
      this.#thinking = new ThinkingLimit(thinking, maxTokens);
      if (this.#answersNow) this.#thinking.endNow();
    }
    const thinkingBudget = this.#thinking?.reducedBudget;
    this.emit({
      type: "started",
      promptTokens,
      cachedTokens: 0,
      slot: 0,
      ...(thinkingBudget !== undefined && { thinkingBudget }),
    });
  }

  /** Ends the thinking, or lets the answer begin without any. */
  answerNow(): void {
    this.#answersNow = true;
    this.#thinking?.endNow();
  }

  /** Continues after a pause. @returns the answer so far */
  resume(): string {
    const { received } = this;
    this.received = "";
    this.#isPaused = false;
    return received;
  }

  /**
   * Takes a piece of the answer: a token, or several that make one character.
   *
   * @param controlTexts of the model; they are left out of the answer unless the request wants them
   */
  take(text: string, controlTexts: readonly string[]): void {
    const now = performance.now();
    this.#firstToken ??= now;
    this.#lastToken = now;
    this.#generated += 1;
    this.#repeated = text === this.#last ? this.#repeated + 1 : 1;
    this.#last = text;
    const isHidden =
      controlTexts.includes(text) && !this.request.visibleControlTexts.includes(text);
    const bytes = encoder.encode(isHidden ? "" : text);
    const behind = this.#behindMark(bytes);
    this.received += text.slice(0, text.length - behind.length);
    const piece = this.#answer.push(
      bytes.subarray(0, bytes.length - encoder.encode(behind).length),
    );
    this.#emitPiece(piece);
    this.#stop = piece.stop;
    this.#thinking?.push(bytes);
    if (this.#thinking?.isUsedUp && !this.hasEnded) this.#closeThinking(this.#thinking.closing);
  }

  #closeThinking(closing: string): void {
    this.#thinking = undefined;
    this.received += closing;
    const bytes = encoder.encode(closing);
    this.#watcher?.push(bytes);
    this.#emitPiece(this.#answer.push(bytes));
    this.#isPaused = true;
  }

  /** Pauses where a mark ends. @returns the text after it, which is to be generated again */
  #behindMark(bytes: Uint8Array): string {
    const found = this.#watcher?.push(bytes);
    if (found === undefined) return "";
    this.#watcher = undefined;
    this.grammar = grammarOf(found);
    this.#isPaused = this.grammar !== undefined;
    return this.#isPaused ? found.behind : "";
  }

  finish({ stopped_eos, timings }: CompletionResult): void {
    this.#cachedTokens = Math.max(0, this.#promptTokens - timings.prompt_n);
    if (this.isCancelled) this.end({ reason: "cancelled" });
    else if (this.#stop !== undefined) this.end({ reason: "stop", stopText: this.#stop });
    else if (this.#isStuck) this.end({ reason: "length" });
    else {
      // The token that ends an answer counts, as in the text engine.
      if (stopped_eos) this.#generated += 1;
      this.end({ reason: stopped_eos ? "stop" : "length" });
    }
  }

  end({ reason, stopText }: AnswerEnd): void {
    if (stopText === undefined) this.#emitPiece(this.#answer.finish());
    const now = performance.now();
    const admitted = this.#admitted ?? now;
    this.emit({
      type: "done",
      reason,
      ...(stopText !== undefined && { stopText }),
      statistics: {
        promptTokens: this.#promptTokens,
        cachedTokens: this.#cachedTokens,
        completionTokens: this.#generated,
        queueMs: admitted - this.#arrived,
        promptMs: (this.#firstToken ?? now) - admitted,
        completionMs: (this.#lastToken ?? 0) - (this.#firstToken ?? 0),
      },
    });
  }

  get #isStuck(): boolean {
    const { grammar, request } = this;
    return isStuck({ repeated: this.#repeated, request: { ...request, grammar } });
  }

  #emitPiece({ text }: AnswerPiece): void {
    if (text !== "") this.emit({ type: "text", text, tokens: this.#generated });
  }
}
