// Continuous batching: admits requests to slots, computes one step after another for all of them,
// and delivers each step's output while the next one computes.
import { queueFull } from "../check-request.ts";
import { engineErrors } from "../errors.ts";
import type { GenerationRequest } from "../generation.ts";
import { beginningOf, checkpointPlaces, messageBorders, withPlace } from "./checkpoint-places.ts";
import { Checkpoints } from "./checkpoints.ts";
import {
  type AnswerEnd,
  createJob,
  endJob,
  failedEvent,
  failJob,
  isReading,
  type Job,
  type LoopEvent,
  type PromptTokens,
  takeToken,
} from "./job.ts";
import { type BatchPlan, type ImagePlan, planBatch, type StepPlan } from "./plan-batch.ts";
import type { PrefixCopy } from "./prefix-copy.ts";
import { PrefixSources, type TakenPrefix, withMiss } from "./prefix-sources.ts";
import type { SavedStates } from "./saved-states.ts";
import { type MemoryKind, SequenceMemory } from "./sequence-memory.ts";
import { Slot } from "./slot.ts";
import { StepComputer, type StepComputerOptions } from "./step-computer.ts";
import type { SampledItem } from "./step-sampler.ts";
import type { StoredPrompts } from "./stored-prompts.ts";
import { WaitingJobs } from "./waiting-jobs.ts";

export interface LoopOptions extends StepComputerOptions {
  slots: number;
  prefixCopy: PrefixCopy | undefined;
  /** Creates the store of saved states; undefined turns it off. */
  savedStates: ((memory: SequenceMemory) => SavedStates) | undefined;
  /** Prompts on disk; undefined turns them off. */
  storedPrompts: StoredPrompts | undefined;
  memoryKind: MemoryKind;
  /** Most memory for checkpoints, see `Checkpoints`. */
  checkpointBytes: number;
  /** Requests that may wait for a slot. */
  maxQueue: number;
  /** Called when a step was launched or no work is left, to send the emitted events. */
  flush: () => void;
  /** Resolves when the receiver keeps up. */
  ready: () => Promise<void>;
  log: (text: string) => void;
}

export class BatchingLoop {
  readonly #options: LoopOptions;
  readonly #slots: Slot<Job>[];
  readonly #memory: SequenceMemory;
  readonly #checkpoints: Checkpoints<Job>;
  readonly #prefixes: PrefixSources;
  readonly #steps: StepComputer;
  readonly #waiting = new WaitingJobs();
  #running = false;
  #hasRead = false;
  #previous: StepPlan["kind"] | undefined;

  constructor(options: LoopOptions) {
    this.#options = options;
    this.#slots = Array.from({ length: options.slots }, (_, id) => new Slot<Job>(id));
    this.#steps = new StepComputer(options);
    const { context, images, log } = options;
    this.#memory = new SequenceMemory(context, images, options.memoryKind);
    this.#checkpoints = new Checkpoints(this.#slots, {
      ...options,
      budgetBytes: options.checkpointBytes,
    });
    this.#prefixes = new PrefixSources({
      memory: this.#memory,
      copy: options.prefixCopy,
      checkpoints: this.#checkpoints,
      saved: options.savedStates?.(this.#memory),
      stored: options.storedPrompts,
      images,
      log,
    });
  }

  /** Slots in use and requests waiting. */
  get load(): { busy: number; waiting: number } {
    return {
      busy: this.#slots.filter((slot) => slot.job !== undefined).length,
      waiting: this.#waiting.length,
    };
  }

  /**
   * Adds a request whose prompt fits the window. Events go to `emit`, the last one being `done` or
   * `failed`.
   */
  submit(
    id: number,
    request: GenerationRequest,
    prompt: PromptTokens,
    emit: (event: LoopEvent) => void,
  ): void {
    const free = this.#slots.filter((slot) => slot.job === undefined).length;
    if (this.#waiting.length >= this.#options.maxQueue + free) {
      emit(failedEvent(queueFull(this.#waiting.length)));
      this.#options.flush();
      return;
    }
    const job = createJob(id, request, prompt, {
      contextLength: this.#options.contextLength,
      usesLookup: this.#options.policy.lookupTokens > 0,
      emit,
    });
    this.#waiting.join(
      job,
      this.#slots.flatMap((slot) => slot.job ?? []),
    );
    if (this.#running) return;
    this.#running = true;
    // Other requests of the same event-loop turn join the first step.
    setImmediate(() => void this.#run());
  }

  /** @throws ProductError `ENGINE_GRAMMAR_INVALID` */
  checkGrammar(gbnf: string): void {
    this.#steps.checkGrammar(gbnf);
  }

  /** Stops a request before its next step; ignores unknown ones. */
  cancel(id: number): void {
    const job = this.#find(id);
    if (job !== undefined) job.cancelled = true;
  }

  /** Ends a request's thinking, so that its answer follows; ignores unknown ones. */
  answerNow(id: number): void {
    this.#find(id)?.thinking?.endNow();
  }

  #find(id: number): Job | undefined {
    return this.#waiting.find(id) ?? this.#slots.find((slot) => slot.job?.id === id)?.job;
  }

  /** Writes prompts worth keeping to the disk before the model is unloaded, within a time limit. */
  async finish(limitMs: number): Promise<void> {
    if (!this.#running) await this.#prefixes.finish(this.#slots, limitMs);
  }

  async #run(): Promise<void> {
    await this.#prefixes.resume();
    await this.#gather();
    // Measured now, when the senders of the requests are idle again.
    await this.#steps.begin();
    while (true) {
      this.#dropCancelled();
      await this.#admitWaiting();
      const guesses = await this.#guess();
      const plan = planBatch(
        this.#slots,
        this.#options.policy,
        (isAlone) => this.#options.prefillPace.chunk(isAlone),
        this.#previous,
        guesses,
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
    // No await between the check for work and this line, so no request can be missed.
    this.#running = false;
    this.#previous = undefined;
    this.#prefixes.onIdle(this.#slots);
    const latest = this.#slots.reduce((one, other) =>
      other.lastUsed > one.lastUsed ? other : one,
    );
    this.#steps.onIdle(latest);
    this.#options.flush();
  }

  /** Returns tokens that may follow in an answer that has the engine to itself. */
  async #guess(): Promise<readonly number[]> {
    const [only, another] = this.#slots.filter((slot) => slot.job !== undefined);
    if (only?.job === undefined || another !== undefined || isReading(only.job)) return [];
    return await this.#steps.guess(only, only.job);
  }

  /** Waits briefly for simultaneous prompts, so that they are read together. */
  async #gather(): Promise<void> {
    if (this.#slots.length === 1) return;
    await this.#waiting.gather((waiting) => {
      const tokens = waiting.reduce((sum, job) => sum + this.#unreadTokens(job), 0);
      return this.#options.prefillPace.gatherMs(tokens);
    });
  }

  #unreadTokens({ promptTokens }: Job): number {
    const known = this.#slots.map((slot) => this.#prefixes.reusable(slot, promptTokens));
    return promptTokens.length - Math.max(...known);
  }

  #dropCancelled(): void {
    for (const slot of this.#slots) {
      if (slot.job?.cancelled) this.#release(slot, slot.job, { reason: "cancelled" });
    }
    for (const job of this.#waiting.removeCancelled()) endJob(job, { reason: "cancelled" });
  }

  async #admitWaiting(): Promise<void> {
    for (let job = this.#waiting.first; job !== undefined; job = this.#waiting.first) {
      const { promptTokens } = job;
      const choice = this.#prefixes.choose(this.#slots, promptTokens);
      if (choice === undefined) break;
      try {
        // The job stays in the queue while its prefix is copied, so that a cancel finds it.
        const shared = this.#prefixes.longestShared(this.#slots, promptTokens);
        const isFirst = !this.#hasRead;
        const taken = await this.#prefixes.take(choice, promptTokens);
        await this.#planPauses(job, choice.slot, shared);
        this.#waiting.remove(job);
        const { length } = promptTokens;
        this.#start(job, choice.slot, withMiss(taken, { length, shared, isFirst }));
      } catch (error) {
        this.#waiting.remove(job);
        this.#failAdmission(job, choice.slot, error);
      }
    }
    this.#waiting.report();
  }

  /**
   * Plans the pauses for checkpoints. The state before the prompt gets one too: the next prompt may
   * leave out everything that is new in this one.
   *
   * @param shared tokens of its beginning that another prompt had too
   */
  async #planPauses(job: Job, slot: Slot<Job>, shared: number): Promise<void> {
    if (this.#memory.isWhole) return;
    const { length: known } = slot.tokens;
    const { length } = job.promptTokens;
    const { tokenBytes } = this.#options;
    const borders = messageBorders(job.promptTokens, (token) => tokenBytes.isControl(token));
    const places = checkpointPlaces(length, known, borders);
    job.beginning = beginningOf({ known, shared, borders });
    job.pauses = job.beginning === undefined ? places : withPlace(places, job.beginning);
    await this.#checkpoints.make(slot);
  }

  #start(job: Job, slot: Slot<Job>, { length: cached, source, miss }: TakenPrefix): void {
    this.#hasRead = true;
    job.read = cached;
    job.cachedTokens = cached;
    job.admitted = performance.now();
    this.#steps.beginAnswer(job);
    slot.job = job;
    slot.promptLength = job.promptTokens.length;
    const promptTokens = job.promptTokens.length;
    const started = { promptTokens, cachedTokens: cached, cachedFrom: source, slot: slot.id };
    const thinkingBudget = job.thinking?.reducedBudget;
    job.emit({
      type: "started",
      ...started,
      ...(miss !== undefined && { cacheMiss: miss }),
      ...(thinkingBudget !== undefined && { thinkingBudget }),
    });
  }

  #failAdmission(job: Job, slot: Slot<Job>, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.#options.log(`a request could not be assigned to a slot: ${reason}`);
    // A partly copied prefix must not be reused by the next prompt.
    slot.job = undefined;
    this.#memory.clear(slot);
    failJob(job, {
      code: engineErrors.decodeFailed.code,
      message: `The engine failed to start this answer: ${reason}.`,
      hint: "Try again.",
    });
  }

  async #step(plan: BatchPlan): Promise<void> {
    const items = await this.#steps.compute(plan, (tokens, milliseconds) =>
      this.#prefixes.noteComputing(tokens, milliseconds),
    );
    for (const item of items) this.#take(item);
    for (const { slot, job } of items) {
      if (slot.job === job && job.pauses.includes(job.read)) await this.#pause(slot, job);
    }
  }

  async #pause(slot: Slot<Job>, job: Job): Promise<void> {
    await this.#checkpoints.make(slot);
    if (job.read === job.beginning) await this.#prefixes.saveBeginning(slot);
  }

  /** Records one slot's result of a step: evaluated tokens, new tokens, the end of the answer. */
  #take(item: SampledItem): void {
    const { slot, job, sampled } = item;
    slot.version += 1;
    if (item.logits === "all") {
      // The first token and the drafts before the last sampled one were correct.
      slot.tokens.push(...item.tokens.slice(0, sampled.length));
      job.drafted += item.tokens.length - 1;
      job.accepted += Math.max(0, sampled.length - 1);
      if (sampled.length < item.tokens.length) {
        const { context, images } = this.#options;
        const end = images.end(slot.tokens);
        // Recurrent states can take back only as many tokens as they keep states of.
        if (!context.removeTokenCellsFromSequence(slot.id, end, -1)) {
          if (item.failure === undefined) throw new Error("wrong guesses could not be taken back");
          this.#memory.clear(slot);
        }
      }
    } else {
      this.#noteRead(slot, job, item.tokens);
    }
    if (item.failure !== undefined) {
      slot.job = undefined;
      slot.lastUsed = performance.now();
      failJob(job, failedEvent(item.failure));
      return;
    }
    for (const token of sampled) {
      const end = takeToken(job, token);
      if (end !== undefined) {
        this.#release(slot, job, end);
        return;
      }
    }
  }

  async #readImage(plan: ImagePlan): Promise<void> {
    const tokens = await this.#steps.computeImage(plan);
    plan.slot.version += 1;
    this.#noteRead(plan.slot, plan.job, tokens);
  }

  #noteRead(slot: Slot<Job>, job: Job, tokens: readonly number[]): void {
    for (const token of tokens) slot.tokens.push(token);
    job.read += tokens.length;
    const totalTokens = job.promptTokens.length;
    job.emit({ type: "prompt", completedTokens: job.read, totalTokens });
  }

  #release(slot: Slot<Job>, job: Job, end: AnswerEnd): void {
    slot.job = undefined;
    slot.lastUsed = performance.now();
    this.#steps.endAnswer(job);
    endJob(job, end);
  }

  /** Clears every slot, since a failed decode leaves the context in an unknown state. */
  #failStep(plan: StepPlan, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.#options.log(`a ${plan.kind} step failed: ${reason}`);
    for (const slot of this.#slots) {
      const job = slot.job;
      slot.job = undefined;
      this.#memory.clear(slot);
      if (job === undefined) continue;
      failJob(job, {
        code: engineErrors.decodeFailed.code,
        message: `The engine failed to compute this answer: ${reason}.`,
        hint: "Try again; if it fails repeatedly, use a smaller context window (num_ctx).",
      });
    }
  }
}
