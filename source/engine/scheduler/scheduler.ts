// Scheduler of requests: finds the model, loads it, and runs the answer.
import { AsyncQueue } from "../../base/async-queue.ts";
import { type Clock, systemClock } from "../../base/clock.ts";
import { shownModel } from "../../base/display-text.ts";
import { ProductError } from "../../base/product-error.ts";
import type { ModelCatalog, ResolvedModel } from "../../store/model-catalog.ts";
import type { ModelParameters } from "../../store/model-parameters.ts";
import { answerChat } from "../answer/answer-chat.ts";
import { answerRaw, rawGrammar } from "../answer/answer-raw.ts";
import { ChatPrompt } from "../answer/chat-prompt.ts";
import { type PrepareOptions, prepareChat } from "../answer/prepare-chat.ts";
import { engineErrors } from "../errors.ts";
import type { EmbeddingOutput, RankOutput } from "../generation.ts";
import { hasImages, readChatImages, readRequestImages } from "../images/request-images.ts";
import type {
  CanonicalEvent,
  CanonicalRequest,
  ChatInput,
  EmbeddingRequest,
  ModelUse,
  RankRequest,
} from "../request.ts";
import type { RunnerCalls } from "../runner/protocol.ts";
import { toSampling, usableParameters } from "../sampling-defaults.ts";
import type { FreeRoom } from "./card-plan.ts";
import { checkTouched } from "./check-touched.ts";
import type { EngineSettings, RequestNeed } from "./load-plan.ts";
import type { LoadedModel, ReadyModel } from "./loaded-model.ts";
import { type Lease, ModelPool, type ModelPoolOptions, type Requirements } from "./model-pool.ts";
import { untilAborted } from "./until-aborted.ts";

export interface SchedulerOptions extends Omit<ModelPoolOptions, "clock"> {
  catalog: ModelCatalog;
  clock?: Clock;
  /** Limit for rendering a conversation, in milliseconds. Defaults to 5 s. */
  templateTimeoutMs?: number;
  /** Reads calls that a model writes without the marks of its format; on by default. */
  looseCalls?: boolean;
}

export class Scheduler {
  /** Defaults for loading, used unless the model or a request says otherwise. */
  readonly engine: EngineSettings;
  readonly #catalog: ModelCatalog;
  readonly #clock: Clock;
  readonly #pool: ModelPool;
  readonly #log: (text: string) => void;
  /** Files without a chat template that were used for chats. */
  readonly #notedFallbacks = new Set<string>();
  readonly #prepareOptions: PrepareOptions;

  constructor({
    catalog,
    clock = systemClock,
    templateTimeoutMs,
    looseCalls,
    ...options
  }: SchedulerOptions) {
    this.#prepareOptions = { templateTimeoutMs, looseCalls };
    this.engine = options.engine;
    this.#catalog = catalog;
    this.#clock = clock;
    this.#pool = new ModelPool({ ...options, clock });
    this.#log = options.log;
  }

  /** Loaded models and those being loaded, the most recently used first. */
  get models(): LoadedModel[] {
    return this.#pool.models;
  }

  /** Returns the loaded model with the same files, whatever its name. */
  async loadedFor(model: ResolvedModel): Promise<LoadedModel | undefined> {
    return await this.#pool.find(model);
  }

  /**
   * Finds the model, without loading it.
   *
   * @throws ProductError of the store
   */
  async resolve(
    request: Pick<CanonicalRequest, "model" | "isFileAllowed">,
  ): Promise<ResolvedModel> {
    return await this.#catalog.resolveToRun(request.model, request.isFileAllowed);
  }

  /**
   * Serves a request from beginning to end. Errors before the first event are caused by the request
   * or the model; aborting the signal ends it with `done`, reason `cancelled`.
   *
   * @throws ProductError of the store, the prompt or the engine
   */
  async *run(
    wanted: CanonicalRequest,
    named: ResolvedModel,
    signal: AbortSignal,
  ): AsyncGenerator<CanonicalEvent> {
    const parameters = {
      ...usableParameters(named.parameters),
      ...definedOnly(wanted.parameters),
    };
    const model = await this.#withDraft(named, parameters, wanted.isFileAllowed);
    const request = withoutThinking(wanted, model) ? { ...wanted, think: false } : wanted;
    const sampling = toSampling(parameters, request.logitBias);
    if (request.input.kind !== "load") {
      refuseEmbeddingModel(model, request.model, request.input.kind);
    }
    const input = await readRequestImages(request.input, model, request.model);
    const need = hasImages(input) ? "images" : undefined;
    // Refuses bad requests before the model is loaded.
    const chat =
      input.kind === "chat"
        ? { input, prepared: await prepareChat(request, input, model, this.#prepareOptions) }
        : undefined;
    if (input.kind === "raw") rawGrammar(request);
    if (chat?.prepared.template.origin === "fallback") this.#noteFallback(model, chat.input);
    const started = this.#clock.now();
    const { keepAliveMs } = request;
    for await (const event of checkTouched(model, signal, this.#log)) {
      if (request.reportProgress) yield event;
    }
    const { loaded, release } = yield* this.#obtain(
      model,
      { parameters, keepAliveMs, need },
      request,
      signal,
    );
    try {
      if (keepAliveMs !== undefined) loaded.keepAliveMs = keepAliveMs;
      if (request.reportProgress && loaded.facts === undefined) {
        for await (const fraction of loaded.progress()) {
          if (signal.aborted) break;
          yield fraction < 1 ? { type: "loading", fraction } : { type: "warming-up" };
        }
      }
      const ready = await untilAborted(loaded.ready, signal);
      const { reloadedAfter } = loaded;
      const loadMs = this.#clock.now() - started;
      for (const sentence of loaded.takeWarnings()) {
        yield { type: "warning", kind: "left-out", sentence };
      }
      yield { type: "loaded", loadMs, ...(reloadedAfter !== undefined && { reloadedAfter }) };
      if (input.kind === "load") return;
      const options = { request, parameters, sampling, ready, signal };
      if (chat !== undefined) yield* answerChat(chat.input, chat.prepared, options);
      else if (input.kind === "raw") yield* answerRaw(input, options);
      this.#pool.noteSuccess(loaded);
    } finally {
      release();
    }
  }

  /**
   * Returns the embeddings of texts.
   *
   * @throws ProductError of the store or the engine
   */
  async embed(
    request: EmbeddingRequest,
    model: ResolvedModel,
    signal: AbortSignal,
  ): Promise<EmbeddingOutput & { loadMs: number }> {
    if (model.facts.isReranker) throw onlyRanks(model.name, "embed");
    const { texts, truncate } = request;
    const { num_ctx: windowTokens, ...parameters } = definedOnly(request.parameters);
    const input = { texts, truncate, ...(windowTokens !== undefined && { windowTokens }) };
    return await this.#use(
      { ...request, parameters, need: "embeddings" },
      model,
      signal,
      async ({ runner }, loadMs) => {
        if (texts.length === 0) return { vectors: [], tokenCounts: [], loadMs };
        const output = await untilAborted(runner.call("embed", input), signal);
        if (!output.vectors.every((vector) => vector.every(Number.isFinite))) {
          throw new ProductError(engineErrors.embeddingUnusable, {
            message: `${shownModel(model.name)} returned an embedding with values that are not numbers.`,
            hint: "The model may not be made for embeddings.",
          });
        }
        return { ...output, loadMs };
      },
    );
  }

  /**
   * Returns the relevance of documents for a query, from 0 to 1.
   *
   * @throws ProductError `ENGINE_CAPABILITY_MISSING`, or of the store or the engine
   */
  async rank(
    request: RankRequest,
    model: ResolvedModel,
    signal: AbortSignal,
  ): Promise<RankOutput & { loadMs: number }> {
    const { facts } = model;
    if (!facts.isReranker) throw noReranker(request.model);
    const { query, documents, truncate } = request;
    const input = { query, documents, truncate, template: facts.rerankTemplate };
    return await this.#use(
      { ...request, need: "embeddings" },
      model,
      signal,
      async ({ runner }, loadMs) => {
        const { scores, tokenCounts } = await untilAborted(runner.call("rank", input), signal);
        const isProbability = normalisedRankers.includes(facts.architecture);
        return { scores: isProbability ? scores : scores.map(sigmoid), tokenCounts, loadMs };
      },
    );
  }

  /**
   * Counts the tokens of a conversation's prompt, including tools. Nothing is left out of a prompt
   * that is longer than the window.
   *
   * @throws ProductError of the store, the prompt or the engine
   */
  async countTokens(
    request: CanonicalRequest & ModelUse & { input: ChatInput },
    model: ResolvedModel,
    signal: AbortSignal,
  ): Promise<number> {
    refuseEmbeddingModel(model, request.model, request.input.kind);
    const input = await readChatImages(request.input, model, request.model);
    const prepared = await prepareChat(request, input, model, this.#prepareOptions);
    const need = hasImages(input) ? "images" : undefined;
    return await this.#use({ ...request, need }, model, signal, async (ready) => {
      const prompt = new ChatPrompt(input, prepared, ready, signal);
      const segments = await prompt.segments(prepared.messages);
      return (await untilAborted(prompt.tokens(segments, prepared.messages), signal)).length;
    });
  }

  /**
   * Returns the tokens of a text, or the text of tokens.
   *
   * @throws ProductError of the store or the engine
   */
  async call<Name extends "tokenize" | "detokenize">(
    name: Name,
    input: RunnerCalls[Name]["input"],
    request: ModelUse,
    model: ResolvedModel,
    signal: AbortSignal,
  ): Promise<RunnerCalls[Name]["output"]> {
    return await this.#use(request, model, signal, async ({ runner }) => runner.call(name, input));
  }

  /** Returns the memory that is free for the next model. */
  async freeRoom(): Promise<FreeRoom> {
    return await this.#pool.freeRoom();
  }

  /** Unloads a model as soon as it is not in use. Does nothing for a model that is not loaded. */
  async unload(model: ResolvedModel): Promise<void> {
    await this.#pool.unload(model);
  }

  /** Stops all runners; their requests fail. */
  async close(): Promise<void> {
    await this.#pool.close();
  }

  /** Adds the draft model that the parameters name. */
  async #withDraft(
    model: ResolvedModel,
    { draft: name, draft_num_predict: most }: ModelParameters,
    isFileAllowed: CanonicalRequest["isFileAllowed"],
  ): Promise<ResolvedModel> {
    if (name === undefined || most === 0) return model;
    const { facts } = await this.#catalog.resolveToRun(name, isFileAllowed);
    return { ...model, draft: { name: shownModel(name), facts } };
  }

  /** Logs the missing template once for each file. */
  #noteFallback({ name, facts }: ResolvedModel, { continuesText }: ChatInput): void {
    if (continuesText || this.#notedFallbacks.has(facts.path)) return;
    this.#notedFallbacks.add(facts.path);
    this.#log(
      `${shownModel(name)} has no chat template: using ChatML, which it may not have been trained on`,
    );
  }

  /** Reports warnings, and the wait for a reload if the request asks for progress. */
  async *#obtain(
    model: ResolvedModel,
    requirements: Requirements,
    { reportProgress }: CanonicalRequest,
    signal: AbortSignal,
  ): AsyncGenerator<CanonicalEvent, Lease> {
    const events = new AsyncQueue<CanonicalEvent>();
    const told: Requirements = {
      ...requirements,
      onWait: reportProgress ? (ahead) => events.push({ type: "queued", ahead }) : undefined,
      onWarning: (warning) => events.push({ type: "warning", ...warning }),
    };
    const lease = this.#pool.obtain(model, told, signal);
    lease.then(
      () => events.end(),
      (error: unknown) => events.fail(error),
    );
    let isTaken = false;
    try {
      yield* events;
      isTaken = true;
      return await lease;
    } finally {
      // A consumer that stops iterating must not keep the model in use.
      if (!isTaken)
        lease.then(
          ({ release }) => release(),
          () => {},
        );
    }
  }

  async #use<T>(
    request: ModelUse & { need?: RequestNeed },
    model: ResolvedModel,
    signal: AbortSignal,
    work: (ready: ReadyModel, loadMs: number) => Promise<T>,
  ): Promise<T> {
    const parameters = { ...model.parameters, ...definedOnly(request.parameters) };
    const started = this.#clock.now();
    const { keepAliveMs, need, onWarning } = request;
    for await (const _ of checkTouched(model, signal, this.#log)); // progress is not reported
    const requirements: Requirements = {
      ...{ parameters, keepAliveMs, need },
      onWarning: ({ sentence }) => onWarning?.(sentence),
    };
    const { loaded, release } = await this.#pool.obtain(model, requirements, signal);
    try {
      if (keepAliveMs !== undefined) loaded.keepAliveMs = keepAliveMs;
      const ready = await untilAborted(loaded.ready, signal);
      const result = await work(ready, this.#clock.now() - started);
      this.#pool.noteSuccess(loaded);
      return result;
    } finally {
      release();
    }
  }
}

/** Uses the wording that Ollama's clients look for. */
function refuseEmbeddingModel(model: ResolvedModel, name: string, kind: "chat" | "raw"): void {
  if (!model.facts.isEmbeddingOnly) return;
  const action = kind === "chat" ? "chat" : "generate";
  if (model.facts.isReranker) throw onlyRanks(name, action);
  throw new ProductError(engineErrors.capabilityMissing, {
    message: `"${name}" does not support ${action}`,
    hint: "It is made for embeddings: use /api/embed or /v1/embeddings.",
    param: "model",
  });
}

/** Architectures whose classification head ends in a softmax. Source: llama.cpp, build_pooling. */
const normalisedRankers = ["qwen3", "qwen3vl"];

function sigmoid(value: number): number {
  return 1 / (1 + Math.exp(-value));
}

function onlyRanks(name: string, action: string): ProductError {
  return new ProductError(engineErrors.capabilityMissing, {
    message: `"${name}" does not support ${action}`,
    hint: "It ranks documents: use /v1/rerank.",
    param: "model",
  });
}

function noReranker(name: string): ProductError {
  return new ProductError(engineErrors.capabilityMissing, {
    message: `"${name}" does not support rerank`,
    hint: "Use a model made for it, such as bge-reranker: modelctl show lists 'rerank' among its capabilities.",
    param: "model",
  });
}

/** A budget of 0 turns thinking off; the model's own yields to a request that wants it to think. */
function withoutThinking({ think, parameters }: CanonicalRequest, model: ResolvedModel): boolean {
  const { reasoning_budget: own = think ? undefined : model.parameters.reasoning_budget } =
    parameters;
  return own === 0;
}

function definedOnly(parameters: ModelParameters): ModelParameters {
  return Object.fromEntries(
    Object.entries(parameters).filter(([, value]) => value !== undefined),
  ) as ModelParameters;
}
