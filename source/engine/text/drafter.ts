// Drafts for answers by a draft model or the model's MTP heads, between the steps that check them.

import type { AddonContext } from "./addon.ts";
import type { DraftSource } from "./draft-model.ts";
import { type DraftGuess, DraftPace } from "./draft-pace.ts";
import type { Job } from "./job.ts";
import type { MtpStates } from "./mtp-states.ts";
import type { Slot } from "./slot.ts";
import type { SampledItem } from "./step-sampler.ts";
import { ThreadGovernor } from "./thread-governor.ts";

export interface DrafterOptions {
  source: DraftSource;
  /** The model's states for MTP heads. */
  states: MtpStates | undefined;
  /** Bytes that a drafted token reads, relative to those of the model. */
  sizeRatio: number;
  /** Most tokens of a draft. */
  most: number;
  /** See `MtpSettings`. */
  isForced: boolean;
  threads: number;
  log: (text: string) => void;
}

/** Pause before the draft model reads an answer, in which the next request of a series comes. */
const idleMs = 300;
/** Steps of a size whose median counts. */
const keptSteps = 9;
/** Tokens of an answer to judge. */
const maxJudged = 64;

export class Drafter {
  readonly #options: DrafterOptions;
  readonly #pace: DraftPace;
  readonly #threads: ThreadGovernor;
  /** Draft that the next step checks. */
  #drafted: { job: Job; guesses: readonly DraftGuess[]; milliseconds: number } | undefined;
  /** Milliseconds of the model's last steps by their number of tokens. */
  readonly #steps = new Map<number, number[]>();
  #hasFailed = false;
  #idle: NodeJS.Timeout | undefined;
  #isStudying = false;
  /** Settles when the draft model is free again. */
  #studying = Promise.resolve();

  constructor(options: DrafterOptions) {
    this.#options = options;
    this.#pace = new DraftPace({ ...options, stepMs: (tokens) => median(this.#steps.get(tokens)) });
    this.#threads = new ThreadGovernor(options.threads);
  }

  /** Prepares for work after a pause. */
  async begin(): Promise<void> {
    clearTimeout(this.#idle);
    this.#isStudying = false;
    await this.#threads.begin();
  }

  /**
   * Called when no work is left: lets the draft model read the last answer, so that it knows if it
   * would have been right, and has read the conversation when that goes on.
   *
   * @param answered tokens at the end of the slot that are an answer
   */
  onIdle(read: readonly number[], answered: number): void {
    clearTimeout(this.#idle);
    if (this.#hasFailed || answered === 0 || this.#options.source.study === undefined) return;
    this.#idle = setTimeout(() => {
      this.#studying = this.#study(read, answered);
    }, idleMs);
    this.#idle.unref();
  }

  async #study(read: readonly number[], answered: number): Promise<void> {
    this.#isStudying = true;
    try {
      const text = read.filter((token) => token >= 0);
      const judged = Math.min(answered, maxJudged);
      const isStopped = () => !this.#isStudying;
      const { source } = this.#options;
      const study = await source.study?.(text, judged, isStopped, this.#setThreads);
      if (study !== undefined) this.#pace.noteStudy(study);
    } catch (error) {
      this.#fail(error);
    }
  }

  beginAnswer({ drafts }: Job): void {
    this.#pace.begin(drafts);
  }

  endAnswer({ drafts, generated }: Job): void {
    this.#pace.end(drafts, generated);
  }

  /**
   * Drafts what follows in a job's answer.
   *
   * @param slot the job's
   * @param room tokens that the next step and the answer have room for
   * @param onDraft called before it drafts, which takes a while
   */
  async draft(job: Job, slot: Slot<Job>, room: number, onDraft: () => void): Promise<number[]> {
    this.#drafted = undefined;
    if (this.#hasFailed || job.next === undefined || room <= 0) return [];
    await this.#studying;
    const { source } = this.#options;
    const states = this.#options.states?.of(slot) ?? [];
    if (this.#options.states !== undefined && states.length === 0) return [];
    const text = [...slot.tokens.filter((token) => token >= 0), job.next];
    const { generated, drafts } = job;
    const plan = this.#pace.plan(drafts, {
      elapsedMs: elapsedMs(job),
      generated,
      room,
      left: job.maxTokens - generated,
      unread: source.unread(text, states),
    });
    if (plan === undefined) return [];
    onDraft();
    try {
      const draft = await source.continue(text, plan, this.#setThreads, states);
      const milliseconds = this.#pace.noteDraft(drafts, draft);
      const { guesses, count } = draft;
      this.#drafted = { job, guesses, milliseconds };
      return guesses.slice(0, count).map(({ token }) => token);
    } catch (error) {
      this.#fail(error);
      return [];
    }
  }

  readonly #setThreads = (context: AddonContext, tokens: number) => {
    const threads = this.#threads.choose(tokens);
    if (threads !== context.getThreads()) context.setThreads(threads);
    return (milliseconds: number) => this.#threads.note(tokens, threads, milliseconds);
  };

  #fail(error: unknown): void {
    this.#hasFailed = true;
    const reason = error instanceof Error ? error.message : String(error);
    this.#options.log(`drafting failed and is not tried any more: ${reason}`);
  }

  /** Learns from a step. @returns true if it checked the last draft */
  noteStep([item, ...others]: readonly SampledItem[], milliseconds: number): boolean {
    const drafted = this.#drafted;
    this.#drafted = undefined;
    if (item === undefined || others.length > 0) return false;
    const { job, tokens, sampled } = item;
    const known = this.#steps.get(tokens.length) ?? [];
    this.#steps.set(tokens.length, [...known, milliseconds].slice(-keptSteps));
    if (drafted?.job !== job) return false;
    this.#pace.noteRound(job.drafts, {
      milliseconds: drafted.milliseconds + milliseconds,
      guesses: drafted.guesses,
      yielded: sampled.map(({ token }) => token),
      elapsedMs: elapsedMs(job),
    });
    return true;
  }
}

function median(values: readonly number[] | undefined): number | undefined {
  return values && [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

function elapsedMs({ admitted }: Job): number {
  return performance.now() - (admitted ?? performance.now());
}
