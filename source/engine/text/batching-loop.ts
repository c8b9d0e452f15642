// Continuous batching: takes requests into slots, computes one step after another for all of them,
// and hands out what each step gave while the next one computes.
import { setTimeout as sleep } from "node:timers/promises";
import { queueFull } from "../check-request.ts";
import { engineErrors } from "../errors.ts";
import type { GenerationRequest } from "../generation.ts";
import { joinQueue } from "../join-queue.ts";
import { chooseSlot } from "./choose-slot.ts";
import { DraftJudge } from "./draft-judge.ts";
import type { ImageTokens } from "./image-tokens.ts";
import {
  type AnswerEnd,
  createJob,
  endJob,
  failedEvent,
  failJob,
  type Job,
  type LoopEvent,
  type PromptTokens,
  takeToken,
} from "./job.ts";
import { loneRows } from "./lone-rows.ts";
import { draftLength } from "./lookup-draft.ts";
import { putIntoContext } from "./picture-reader.ts";
import {
  type BatchItem,
  type BatchPlan,
  type BatchPolicy,
  type ImagePlan,
  logitIndexesOf,
  planBatch,
  type StepPlan,
} from "./plan-batch.ts";
import type { PrefillPace } from "./prefill-pace.ts";
import type { PrefixCopy } from "./prefix-copy.ts";
import { PrefixSources } from "./prefix-sources.ts";
import { Slot, sharedPrefixLength } from "./slot.ts";
import { type SampledItem, StepSampler, type StepSamplerOptions } from "./step-sampler.ts";
import { ThreadGovernor } from "./thread-governor.ts";

export interface LoopOptions extends StepSamplerOptions {
  slots: number;
  /** Most threads that a step may use. */
  threads: number;
  policy: BatchPolicy;
  prefillPace: PrefillPace;
  prefixCopy: PrefixCopy | undefined;
  images: ImageTokens;
  /** Requests that may wait for a slot. */
  maximumQueue: number;
  /** Called when a step has been launched or no work is left: the time to send what was emitted. */
  flush: () => void;
  /** Resolves when the receiver keeps up. */
  ready: () => Promise<void>;
  log: (text: string) => void;
}

/** Any token: nothing is made of what it gives. */
const filler = 0;

export class BatchingLoop {
  readonly #options: LoopOptions;
  readonly #slots: Slot<Job>[];
  readonly #prefixes: PrefixSources;
  readonly #threads: ThreadGovernor;
  readonly #drafts = new DraftJudge();
  readonly #sampler: StepSampler;
  #queue: Job[] = [];
  #running = false;
  #previous: StepPlan["kind"] | undefined;

  constructor(options: LoopOptions) {
    this.#options = options;
    this.#slots = Array.from({ length: options.slots }, (_, id) => new Slot<Job>(id));
    this.#sampler = new StepSampler(options);
    this.#threads = new ThreadGovernor(options.threads);
    const { context, prefixCopy, images, log } = options;
    this.#prefixes = new PrefixSources(context, prefixCopy, images, log);
  }

  /** Slots in use and requests waiting. */
  get load(): { busy: number; waiting: number } {
    return {
      busy: this.#slots.filter((slot) => slot.job !== undefined).length,
      waiting: this.#queue.length,
    };
  }

  /**
   * Takes a request whose prompt is known to fit. Events go to `emit`, the last one being `done` or
   * `failed`.
   */
  submit(
    id: number,
    request: GenerationRequest,
    prompt: PromptTokens,
    emit: (event: LoopEvent) => void,
  ): void {
    const free = this.#slots.filter((slot) => slot.job === undefined).length;
    if (this.#queue.length >= this.#options.maximumQueue + free) {
      emit(failedEvent(queueFull(this.#queue.length)));
      this.#options.flush();
      return;
    }
    const job = createJob(id, request, prompt, {
      contextLength: this.#options.contextLength,
      usesLookup: this.#options.policy.lookupTokens > 0,
      emit,
    });
    joinQueue(
      this.#queue,
      job,
      this.#slots.flatMap((slot) => slot.job ?? []),
    );
    if (this.#running) return;
    this.#running = true;
    // The turn's other requests join the first step.
    setImmediate(() => void this.#run());
  }

  /** Stops a request before its next step; one that is not known any more is no error. */
  cancel(id: number): void {
    const waiting = this.#queue.find((job) => job.id === id);
    const job = waiting ?? this.#slots.find((slot) => slot.job?.id === id)?.job;
    if (job !== undefined) job.cancelled = true;
  }

  async #run(): Promise<void> {
    await this.#gather();
    // Now, when those who sent the requests are done with them.
    await this.#threads.begin();
    while (true) {
      this.#dropCancelled();
      await this.#admitWaiting();
      const plan = planBatch(
        this.#slots,
        this.#options.policy,
        (isAlone) => this.#options.prefillPace.chunk(isAlone),
        this.#previous,
        (job, limit) => this.#guess(job, limit),
      );
      if (plan === undefined) break;
      this.#previous = plan.kind;
      try {
        await (plan.kind === "image" ? this.#readImage(plan) : this.#step(plan));
      } catch (error) {
        this.#failStep(plan, error);
      }
      await this.#options.ready();
    }
    // No await stands between the check for work and this line, so no request can slip through.
    this.#running = false;
    this.#previous = undefined;
    this.#prefixes.rest();
    this.#options.flush();
  }

  /** Prompts that come at the same moment, as far as that is worth the wait. */
  async #gather(): Promise<void> {
    const [first] = this.#queue;
    if (first === undefined || this.#slots.length === 1) return;
    while (true) {
      const tokens = this.#queue.reduce((sum, job) => sum + this.#unreadTokens(job), 0);
      const leftMs =
        this.#options.prefillPace.gatherMs(tokens) - (performance.now() - first.arrived);
      // A timer's shortest time is a millisecond.
      if (leftMs < 0.5) return;
      await sleep(leftMs);
    }
  }

  #unreadTokens({ promptTokens }: Job): number {
    const known = this.#slots.map(({ tokens }) => sharedPrefixLength(tokens, promptTokens));
    return promptTokens.length - Math.max(...known);
  }

  #dropCancelled(): void {
    for (const slot of this.#slots) {
      if (slot.job?.cancelled) this.#release(slot, slot.job, { reason: "cancelled" });
    }
    if (!this.#queue.some((job) => job.cancelled)) return;
    const cancelled = this.#queue.filter((job) => job.cancelled);
    this.#queue = this.#queue.filter((job) => !job.cancelled);
    for (const job of cancelled) endJob(job, { reason: "cancelled" });
  }

  async #admitWaiting(): Promise<void> {
    while (this.#queue.length > 0) {
      const job = this.#queue[0];
      if (job === undefined) return;
      const choice = chooseSlot(this.#slots, job.promptTokens, (prefix, source) =>
        this.#prefixes.isWorthCopying(prefix, source),
      );
      if (choice === undefined) break;
      try {
        // The job stays in the queue while its beginning is copied, so that a cancel finds it.
        const cached = await this.#prefixes.take(choice, job.promptTokens);
        this.#queue.splice(this.#queue.indexOf(job), 1);
        this.#start(job, choice.slot, cached);
      } catch (error) {
        this.#queue = this.#queue.filter((waiting) => waiting !== job);
        this.#failAdmission(job, choice.slot, error);
      }
    }
    this.#queue.forEach((job, ahead) => {
      if (job.reportedAhead !== undefined && !isNews(ahead, job.reportedAhead)) return;
      job.reportedAhead = ahead;
      job.emit({ type: "queued", ahead });
    });
  }

  #start(job: Job, slot: Slot<Job>, cached: number): void {
    job.read = cached;
    job.cachedTokens = cached;
    job.admitted = performance.now();
    job.sampler = this.#sampler.createFor(job.request, job.promptTokens);
    slot.job = job;
    const promptTokens = job.promptTokens.length;
    job.emit({ type: "started", promptTokens, cachedTokens: cached, slot: slot.id });
  }

  #failAdmission(job: Job, slot: Slot<Job>, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.#options.log(`a request could not be given a slot: ${reason}`);
    // Whatever half of a beginning is in the slot must not meet the next prompt.
    this.#options.context.disposeSequence(slot.id);
    slot.job = undefined;
    slot.tokens = [];
    slot.version += 1;
    failJob(job, {
      code: engineErrors.decodeFailed.code,
      message: `The engine could not begin this answer: ${reason}.`,
      hint: "Try again.",
    });
  }

  #guess(job: Job, limit: number): number[] {
    if (job.lookup === undefined || !this.#drafts.allows()) return [];
    const room = Math.min(limit, job.maxTokens - job.generated - 1);
    const guessed = job.lookup.guess(room);
    return guessed.slice(0, draftLength(guessed.length, room));
  }

  async #step(plan: BatchPlan): Promise<void> {
    const { context } = this.#options;
    const tokens = plan.items.reduce((sum, item) => sum + item.tokens.length, 0);
    const filled = this.#toBeFilled(plan);
    context.initBatch(tokens + filled.length);
    const items: SampledItem[] = plan.items.map((item) => ({
      ...item,
      sampled: [],
      indexes: context.addToBatch(
        item.slot.id,
        this.#positionOf(item.slot),
        Uint32Array.from(filled.includes(item) ? [...item.tokens, filler] : item.tokens),
        logitIndexesOf(item),
      ),
    }));
    const threads = this.#threads.choose(tokens);
    if (threads !== context.getThreads()) context.setThreads(threads);
    const started = performance.now();
    const decoding = context.decodeBatch();
    this.#options.flush();
    await decoding;
    const decodeMs = performance.now() - started;
    this.#threads.note(tokens, threads, decodeMs);
    for (const { slot, tokens: read } of filled) {
      const position = this.#positionOf(slot) + read.length;
      if (context.removeTokenCellsFromSequence(slot.id, position, -1)) continue;
      throw new Error("a filler could not be taken back");
    }
    if (plan.kind === "prompt") {
      this.#prefixes.noteComputing(tokens, decodeMs);
      this.#options.prefillPace.note(tokens, decodeMs);
    }
    await this.#sampler.sample(items);
    const [only] = items;
    if (plan.kind === "answer" && items.length === 1 && only !== undefined) {
      const stepMs = performance.now() - started;
      this.#drafts.note(only.tokens.length > 1, only.sampled.length, stepMs);
    }
    for (const item of items) this.#take(item);
  }

  /** Those whose filler finds a place in the window. */
  #toBeFilled({ items }: BatchPlan): BatchItem[] {
    const { policy, contextLength } = this.#options;
    if (!policy.fillsLoneRows) return [];
    return loneRows(items).filter(
      ({ slot, tokens }) => this.#positionOf(slot) + tokens.length < contextLength,
    );
  }

  /** Books what a step gave one slot: evaluated tokens, new tokens, the end of the answer. */
  #take(item: SampledItem): void {
    const { slot, job, sampled } = item;
    slot.version += 1;
    if (item.logits === "all") {
      // The first token and the drafts before the last sampled one were right.
      slot.tokens.push(...item.tokens.slice(0, sampled.length));
      if (sampled.length < item.tokens.length) {
        const position = this.#positionOf(slot);
        this.#options.context.removeTokenCellsFromSequence(slot.id, position, -1);
      }
    } else {
      this.#noteRead(slot, job, item.tokens);
    }
    for (const token of sampled) {
      const end = takeToken(job, token);
      if (end !== undefined) {
        this.#release(slot, job, end);
        return;
      }
    }
  }

  /** Puts the image that a prompt has come to into its slot. */
  async #readImage({ slot, job }: ImagePlan): Promise<void> {
    const { context, images, policy } = this.#options;
    const first = job.promptTokens[job.read] ?? 0;
    const image = job.images.get(first);
    if (image === undefined) throw new Error("an image of the prompt is not known");
    const tokens = job.promptTokens.slice(job.read, job.read + images.lengthAt(first));
    const threads = this.#threads.choose(tokens.length);
    if (threads !== context.getThreads()) context.setThreads(threads);
    const reading = putIntoContext(image, context, {
      sequence: slot.id,
      position: this.#positionOf(slot),
      batchSize: policy.batchSize,
    });
    this.#options.flush();
    await reading;
    slot.version += 1;
    this.#noteRead(slot, job, tokens);
  }

  #noteRead(slot: Slot<Job>, job: Job, tokens: readonly number[]): void {
    for (const token of tokens) slot.tokens.push(token);
    job.read += tokens.length;
    if (!job.request.reportProgress) return;
    const totalTokens = job.promptTokens.length;
    job.emit({ type: "prompt", completedTokens: job.read, totalTokens });
  }

  /** Where the next token of a slot stands. */
  #positionOf({ tokens }: Slot<Job>): number {
    return this.#options.images.position(tokens, tokens.length);
  }

  #release(slot: Slot<Job>, job: Job, end: AnswerEnd): void {
    slot.job = undefined;
    slot.lastUsed = performance.now();
    endJob(job, end);
  }

  /** A failed decode leaves the context in an unknown state: every slot starts afresh. */
  #failStep(plan: StepPlan, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.#options.log(`a ${plan.kind} step failed: ${reason}`);
    for (const slot of this.#slots) {
      const job = slot.job;
      slot.job = undefined;
      slot.tokens = [];
      slot.version += 1;
      this.#options.context.disposeSequence(slot.id);
      if (job === undefined) continue;
      failJob(job, {
        code: engineErrors.decodeFailed.code,
        message: `The engine failed while computing this answer: ${reason}.`,
        hint: "Try again; if it happens again, a smaller context window (num_ctx) may help.",
      });
    }
  }
}

/** Far back in a long queue, only real progress is worth a message. */
function isNews(ahead: number, reported: number): boolean {
  return ahead !== reported && (ahead < 10 || ahead <= reported * 0.9);
}
