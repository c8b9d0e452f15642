// Vision engine that needs no build on this machine: the binding's own, one answer at a time.
//
// It has the interface of the text engine and refuses what the binding cannot do, such as
// log-probabilities and embeddings. Decision 0008.
import { setImmediate as nextTurn } from "node:timers/promises";
import { ProductError } from "../../base/product-error.ts";
import { checkLength, checkNamedTokens, queueFull, refuseUnknown } from "../check-request.ts";
import { engineErrors } from "../errors.ts";
import type { GenerationRequest, MarkedPrompt, RunnerFacts } from "../generation.ts";
import type { LoadSettings, VisionSettings } from "../runner/load-settings.ts";
import type { CallOutput, RunnerCall } from "../runner/protocol.ts";
import { failedEvent, type LoopEvent } from "../text/job.ts";
import type { EngineConnection } from "../text/text-engine.ts";
import { joinQueue } from "../text/waiting-jobs.ts";
import { type CompletionResult, type PromptText, toPromptText } from "./binding.ts";
import { type CountedPrompt, VisionJob } from "./vision-job.ts";
import { VisionModel } from "./vision-model.ts";

/** Turns of the event loop to wait for the last pieces of an answer. */
const maxTurns = 20;

export class VisionEngine {
  readonly facts: RunnerFacts;
  readonly #settings: LoadSettings;
  readonly #model: VisionModel;
  readonly #connection: EngineConnection;
  #queue: VisionJob[] = [];
  #current: VisionJob | undefined;

  private constructor(settings: LoadSettings, model: VisionModel, connection: EngineConnection) {
    this.#settings = settings;
    this.#model = model;
    this.#connection = connection;
    this.facts = model.facts;
  }

  /** @throws ProductError, see `VisionModel.load` */
  static async load(
    settings: LoadSettings,
    vision: VisionSettings,
    connection: EngineConnection,
  ): Promise<VisionEngine> {
    return new VisionEngine(settings, await VisionModel.load(settings, vision), connection);
  }

  /**
   * Starts a request; its events, the last being `done` or `failed`, go to `emit`.
   *
   * @throws ProductError `ENGINE_PARAMETER_UNSUPPORTED`, `ENGINE_QUEUE_FULL`,
   *   `ENGINE_TOKEN_UNKNOWN`
   */
  generate(id: number, request: GenerationRequest, emit: (event: LoopEvent) => void): void {
    this.#refuse(request);
    checkNamedTokens(request, this.#settings);
    if (this.#queue.length >= this.#settings.maxQueue) throw queueFull(this.#queue.length);
    const running = this.#current === undefined ? [] : [this.#current];
    joinQueue(this.#queue, new VisionJob(id, request, emit), running);
    this.#reportPlaces();
    if (this.#current === undefined) void this.#run();
  }

  cancel(id: number): void {
    const waiting = this.#queue.find((job) => job.id === id);
    if (waiting !== undefined) {
      this.#queue = this.#queue.filter((job) => job !== waiting);
      waiting.end({ reason: "cancelled" });
      this.#connection.flush();
    } else if (this.#current?.id === id) {
      this.#current.isCancelled = true;
      this.#model.context.stopCompletion();
    }
  }

  answerNow(id: number): void {
    const jobs = [...this.#queue, ...(this.#current === undefined ? [] : [this.#current])];
    jobs.find((job) => job.id === id)?.answerNow();
  }

  /** @throws ProductError `ENGINE_CAPABILITY_MISSING` for vectors */
  async call({ name, input }: RunnerCall): Promise<CallOutput> {
    switch (name) {
      case "embed":
      case "rank":
        throw new ProductError(engineErrors.capabilityMissing, {
          message: "The prebuilt image engine cannot create embeddings or ranks.",
          hint: "Retry after the model is unloaded.",
        });
      case "tokenize":
        return { tokens: [...(await this.#count(input)).tokens] };
      case "detokenize":
        refuseUnknown(input.tokens, this.#settings);
        return { text: await this.#model.context.detokenize(input.tokens) };
    }
  }

  /** Does nothing: this engine saves no state. */
  async finish(): Promise<void> {}

  close(): void {}

  /** Answers the queued requests one after the other. */
  async #run(): Promise<void> {
    for (let job = this.#queue.shift(); job !== undefined; job = this.#queue.shift()) {
      this.#current = job;
      this.#reportPlaces();
      try {
        await this.#answer(job);
      } catch (error) {
        job.emit(failedEvent(error));
      }
      this.#current = undefined;
      this.#connection.flush();
      await this.#connection.ready();
    }
  }

  /**
   * An answer pauses where its thinking is closed or a grammar begins, and continues as part of the
   * prompt. The binding's own lazy grammars start inside thinking and fail when a call breaks them.
   */
  async #answer(job: VisionJob): Promise<void> {
    job.admit();
    const prompt = await this.#count(job.request.prompt);
    checkLength(prompt.tokens.length, this.#settings);
    if (job.isCancelled) {
      job.end({ reason: "cancelled" });
      return;
    }
    const room = this.#settings.contextLength - prompt.tokens.length;
    job.start(prompt.tokens.length, Math.min(job.request.maxTokens ?? room, room));
    this.#connection.flush();
    let result = await this.#complete(job, prompt);
    let { text } = prompt;
    while (job.isPaused) {
      text += toPromptText([{ text: job.resume(), special: true }], []).text;
      result = { ...(await this.#complete(job, { ...prompt, text })), timings: result.timings };
    }
    job.finish(result);
  }

  /**
   * Recreates the context after an error, since the binding then accepts no other request. Retries
   * a request without output, since the binding may still have been busy with the previous one.
   */
  async #complete(
    job: VisionJob,
    prompt: CountedPrompt,
    isRetry = false,
  ): Promise<CompletionResult> {
    let isOver = false;
    try {
      const options = this.#model.completionOptions(job, prompt);
      const result = await this.#model.context.completion(options, ({ token }) => {
        if (!isOver) this.#take(job, token);
      });
      await this.#lastPieces(job, result.text);
      isOver = true;
      return result;
    } catch (error) {
      await this.#model.reopen();
      if (!isRetry && !job.hasEnded && job.received === "")
        return await this.#complete(job, prompt, true);
      throw new ProductError(engineErrors.decodeFailed, {
        message: `The engine failed to compute this answer: ${error instanceof Error ? error.message : String(error)}.`,
        hint: "Try again.",
        cause: error,
      });
    }
  }

  /** Waits for pieces of a complete answer that the binding has not delivered yet. */
  async #lastPieces(job: VisionJob, whole: string): Promise<void> {
    for (let turn = 0; turn < maxTurns && !isDone(job); turn += 1) {
      if (job.received.length >= whole.length) return;
      await nextTurn();
    }
    if (!isDone(job)) this.#take(job, whole.slice(job.received.length));
  }

  #take(job: VisionJob, text: string): void {
    // After a stop, the binding keeps writing for a moment.
    if (isDone(job) || job !== this.#current || text === "") return;
    job.take(text, this.#model.vocabulary.controlTexts);
    if (isDone(job)) this.#model.context.stopCompletion();
    this.#connection.flush();
  }

  async #count(prompt: GenerationRequest["prompt"]): Promise<CountedPrompt> {
    const { context, begin, vocabulary } = this.#model;
    const whole = await this.#textOf(prompt);
    // The binding adds the begin-of-text token itself: it must appear only once.
    const isDouble = begin !== undefined && whole.text.startsWith(vocabulary.bosText);
    const text = isDouble ? whole.text.slice(vocabulary.bosText.length) : whole.text;
    const files = "segments" in prompt ? (prompt.images ?? []) : [];
    const media = whole.images.map((image) => `data:image/png;base64,${files[image] ?? ""}`);
    const { tokens } = await context.tokenize(text, media.length > 0 ? media : undefined);
    const isBegun = media.length > 0 || begin === undefined;
    return { text, media, tokens: isBegun ? [...tokens] : [begin, ...tokens] };
  }

  async #textOf(prompt: GenerationRequest["prompt"]): Promise<PromptText> {
    const { context, vocabulary } = this.#model;
    if ("tokens" in prompt) return { text: await context.detokenize(prompt.tokens), images: [] };
    const { segments, earlier = [] }: MarkedPrompt = prompt;
    const { text, images } = toPromptText(segments, vocabulary.controlTexts);
    const before = earlier.length > 0 ? await context.detokenize(earlier) : "";
    return { text: before + text, images };
  }

  /** @throws ProductError `ENGINE_PARAMETER_UNSUPPORTED` */
  #refuse({ topLogprobs, sampling, ignoreEndOfText, grammar }: GenerationRequest): void {
    const wanted =
      // The binding reports probabilities after its filters instead of the model's own.
      (topLogprobs !== undefined && "Log-probabilities") ||
      // The binding accepts a list of biases and ignores it.
      (sampling.logitBias.length > 0 && "Logit biases") ||
      (ignoreEndOfText && grammar !== undefined && "Endless answers with a grammar");
    if (wanted === false) return;
    throw new ProductError(engineErrors.parameterUnsupported, {
      message: `${wanted} are not supported by the prebuilt image engine.`,
      hint: "Leave them out, or build the engine extension with modelctl engine build --extension.",
    });
  }

  #reportPlaces(): void {
    for (const [index, job] of this.#queue.entries()) {
      const ahead = index + (this.#current === undefined ? 0 : 1);
      if (job.reportedAhead === ahead) continue;
      job.reportedAhead = ahead;
      job.emit({ type: "queued", ahead });
    }
  }
}

/** Returns true if further output of the binding is to be ignored. */
function isDone(job: VisionJob): boolean {
  return job.hasEnded || job.isPaused;
}
