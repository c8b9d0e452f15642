// Computation of a planned step: decodes the batch in llama.cpp with the fastest number of threads,
// and samples the next tokens. Learns from the time that takes.

import { DraftPolicy } from "./draft-policy.ts";
import { Drafter, type DrafterOptions } from "./drafter.ts";
import type { ImageTokens } from "./image-tokens.ts";
import type { Job } from "./job.ts";
import { loneRows } from "./lone-rows.ts";
import { putIntoContext } from "./picture-reader.ts";
import {
  type BatchItem,
  type BatchPlan,
  type BatchPolicy,
  type ImagePlan,
  logitIndexesOf,
} from "./plan-batch.ts";
import type { PrefillPace } from "./prefill-pace.ts";
import type { Slot } from "./slot.ts";
import { type SampledItem, StepSampler, type StepSamplerOptions } from "./step-sampler.ts";
import { ThreadGovernor } from "./thread-governor.ts";

export interface StepComputerOptions extends StepSamplerOptions {
  /** Most threads that a step may use. */
  threads: number;
  /** All layers are computed by the processor. */
  isOnCpu: boolean;
  policy: BatchPolicy;
  prefillPace: PrefillPace;
  images: ImageTokens;
  /** Undefined if nothing drafts. */
  draft: Omit<DrafterOptions, "threads" | "log"> | undefined;
  log: (text: string) => void;
  /** Called when a step was launched, to send the events emitted before it. */
  flush: () => void;
}

/** Filler token; its output is discarded. */
const filler = 0;

export class StepComputer {
  readonly #options: StepComputerOptions;
  readonly #threads: ThreadGovernor;
  readonly #drafts = new DraftPolicy();
  readonly #drafter: Drafter | undefined;
  readonly #sampler: StepSampler;
  /** False also on Windows, which counts in steps of 16 ms. */
  readonly #countsProcessorTime: boolean;

  constructor(options: StepComputerOptions) {
    this.#options = options;
    this.#threads = new ThreadGovernor(options.threads);
    const { draft, threads, log } = options;
    this.#drafter = draft && new Drafter({ ...draft, threads, log });
    this.#sampler = new StepSampler(options);
    this.#countsProcessorTime = options.isOnCpu && process.platform !== "win32";
  }

  /** Prepares for work after a pause. */
  async begin(): Promise<void> {
    await this.#threads.begin();
    await this.#drafter?.begin();
  }

  /** Called when no work is left, with the slot that was used last. */
  onIdle({ tokens, promptLength }: Slot<Job>): void {
    this.#drafter?.onIdle(tokens, Math.max(0, tokens.length - promptLength));
  }

  beginAnswer(job: Job): void {
    this.#drafter?.beginAnswer(job);
  }

  endAnswer(job: Job): void {
    this.#drafter?.endAnswer(job);
  }

  /** @throws ProductError `ENGINE_GRAMMAR_INVALID` */
  checkGrammar(gbnf: string): void {
    this.#sampler.checkGrammar(gbnf);
  }

  /**
   * Returns tokens that may follow in a job's answer, for the next step to check: guesses from the
   * conversation, which cost nothing, or else those of a draft model or MTP heads.
   */
  async guess(slot: Slot<Job>, job: Job): Promise<number[]> {
    const { policy, flush } = this.#options;
    const room = Math.min(policy.batchSize - 1, job.maxTokens - job.generated - 1);
    const guessed = this.#look(job, Math.min(policy.lookupTokens, room));
    if (guessed.length > 0 || this.#drafter === undefined) return guessed;
    return await this.#drafter.draft(job, slot, room, flush);
  }

  #look({ lookup }: Job, room: number): number[] {
    if (lookup === undefined || room <= 0) return [];
    const guessed = lookup.guess(room);
    return guessed.slice(0, this.#drafts.choose(guessed.length, lookup.acceptance, lookup.budget));
  }

  /**
   * Leaves the slots' own lists of tokens unchanged.
   *
   * @param onPrompt called with the duration if only prompt tokens were computed
   */
  async compute(
    plan: BatchPlan,
    onPrompt: (tokens: number, milliseconds: number) => void,
  ): Promise<SampledItem[]> {
    const tokens = plan.items.reduce((sum, item) => sum + item.tokens.length, 0);
    const filled = this.#toBeFilled(plan);
    const items = this.#fillBatch(plan, tokens, filled);
    const threads = this.#chooseThreads(tokens);
    const processorStarted = process.cpuUsage();
    const started = performance.now();
    const decoding = this.#options.context.decodeBatch();
    this.#options.flush();
    this.#sampler.prepare(items);
    await decoding;
    const decodeMs = performance.now() - started;
    const { user, system } = process.cpuUsage(processorStarted);
    this.#threads.note(tokens, threads, decodeMs);
    this.#takeBack(filled);
    if (plan.kind === "prompt") {
      onPrompt(tokens, decodeMs);
      this.#options.prefillPace.note(tokens, decodeMs);
    }
    await this.#sampler.sample(items);
    this.#options.draft?.states?.note(items);
    // Other programs disturb the processor's time little; a card is waited for.
    const processorMs = (user + system) / 1000 / threads;
    const isDraft = plan.kind === "answer" && this.#drafter?.noteStep(items, decodeMs);
    if (plan.kind === "answer" && !isDraft) {
      this.#noteGuesses(items, this.#countsProcessorTime ? processorMs : decodeMs);
    }
    return items;
  }

  /** @returns the numbers that stand for the image, which is now in the context */
  async computeImage({ slot, job }: ImagePlan): Promise<number[]> {
    const { context, images, policy } = this.#options;
    const first = job.promptTokens[job.read] ?? 0;
    const image = job.images.get(first);
    if (image === undefined) throw new Error("an image of the prompt is not known");
    const tokens = job.promptTokens.slice(job.read, job.read + images.lengthAt(first));
    this.#chooseThreads(tokens.length);
    const reading = putIntoContext(image, context, {
      sequence: slot.id,
      position: images.end(slot.tokens),
      batchSize: policy.batchSize,
    });
    this.#options.flush();
    await reading;
    return tokens;
  }

  /** Learns what a step cost that checked a single answer's guesses, or could have done. */
  #noteGuesses([item, ...others]: readonly SampledItem[], cost: number): void {
    const { tokens = [], sampled = [], job } = item ?? {};
    if (job?.lookup === undefined || others.length > 0) return;
    this.#drafts.note({ tokens: tokens.length, cost, yielded: sampled.length }, job.lookup.budget);
  }

  #fillBatch({ items }: BatchPlan, tokens: number, filled: readonly BatchItem[]): SampledItem[] {
    const { context, images } = this.#options;
    context.initBatch(tokens + filled.length);
    return items.map((item) => ({
      ...item,
      sampled: [],
      indexes: context.addToBatch(
        item.slot.id,
        images.end(item.slot.tokens),
        Uint32Array.from(filled.includes(item) ? [...item.tokens, filler] : item.tokens),
        logitIndexesOf(item),
      ),
    }));
  }

  #chooseThreads(tokens: number): number {
    const { context } = this.#options;
    const threads = this.#threads.choose(tokens);
    if (threads !== context.getThreads()) context.setThreads(threads);
    return threads;
  }

  /** Returns rows whose filler fits in the window and in the step. */
  #toBeFilled({ items }: BatchPlan): BatchItem[] {
    const { policy, contextLength, images } = this.#options;
    if (!policy.fillsLoneRows) return [];
    const taken = items.reduce((sum, { tokens }) => sum + tokens.length, 0);
    return loneRows(items)
      .filter(({ slot, tokens }) => images.end(slot.tokens) + tokens.length < contextLength)
      .slice(0, policy.batchSize - taken);
  }

  #takeBack(filled: readonly BatchItem[]): void {
    const { context, images } = this.#options;
    for (const { slot, tokens } of filled) {
      const position = images.end(slot.tokens) + tokens.length;
      if (context.removeTokenCellsFromSequence(slot.id, position, -1)) continue;
      throw new Error("a filler could not be removed");
    }
  }
}
