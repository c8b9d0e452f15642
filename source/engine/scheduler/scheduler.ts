// Which models are loaded, who waits for them, and who has to leave.
import { type Clock, systemClock } from "../../base/clock.ts";
import { ProductError } from "../../base/product-error.ts";
import type { PromptSegment } from "../../prompt/prompt-segment.ts";
import type { ModelCatalog, ResolvedModel } from "../../store/model-catalog.ts";
import type { ModelParameters } from "../../store/model-parameters.ts";
import { engineErrors } from "../errors.ts";
import type { GenerationRequest } from "../generation.ts";
import type { CanonicalEvent, CanonicalRequest } from "../request.ts";
import { toMaxTokens, toSampling } from "../sampling-defaults.ts";
import { BackOff } from "./back-off.ts";
import { type EngineSettings, planLoad, reloadReason } from "./load-plan.ts";
import { LoadedModel, type ReadyModel } from "./loaded-model.ts";

export interface SchedulerOptions {
  catalog: ModelCatalog;
  engine: EngineSettings;
  /** How long a model stays loaded after its last request; Infinity for good. */
  keepAliveMs: number;
  loadTimeoutMs: number;
  maximumLoadedModels: number;
  log: (text: string) => void;
  /** Takes what the engine itself says, line by line. */
  engineLog: (text: string) => void;
  clock?: Clock;
}

export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #clock: Clock;
  readonly #backOff: BackOff;
  /** By the model's file. */
  readonly #loaded = new Map<string, LoadedModel>();
  /** Models whose memory is not back yet. */
  readonly #leaving = new Map<string, Promise<void>>();
  #closed = false;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#backOff = new BackOff(this.#clock);
  }

  /** Loaded models and those being loaded, the most recently used first. */
  get models(): LoadedModel[] {
    return [...this.#loaded.values()].sort((a, b) => b.lastUsed - a.lastUsed);
  }

  /**
   * Finds the model, without loading it.
   *
   * @throws ProductError of the store
   */
  async resolve(
    request: Pick<CanonicalRequest, "model" | "isFileAllowed">,
  ): Promise<ResolvedModel> {
    return await this.#options.catalog.resolve(request.model, request.isFileAllowed);
  }

  /**
   * Serves a request from beginning to end. Errors before the first event are the request's fault or
   * the model's; aborting the signal ends it with `done`, reason `cancelled`.
   *
   * @throws ProductError of the store, the prompt or the engine
   */
  async *run(
    request: CanonicalRequest,
    model: ResolvedModel,
    signal: AbortSignal,
  ): AsyncGenerator<CanonicalEvent> {
    const parameters = { ...model.parameters, ...definedOnly(request.parameters) };
    const sampling = toSampling(parameters, request.logitBias);
    const started = this.#clock.now();
    const { loaded, release } = await this.#obtain(model, parameters, request, signal);
    try {
      if (request.keepAliveMs !== undefined) loaded.keepAliveMs = request.keepAliveMs;
      if (request.reportProgress && loaded.facts === undefined) {
        for await (const fraction of loaded.progress()) {
          if (signal.aborted) break;
          yield { type: "loading", fraction };
        }
      }
      const ready = await untilAborted(loaded.ready, signal);
      yield { type: "loaded", loadMs: this.#clock.now() - started };
      if (request.input.kind === "load") return;
      const generation: GenerationRequest = {
        prompt: { segments: renderPrompt(request, ready) },
        maxTokens: toMaxTokens(parameters),
        sampling,
        stop: parameters.stop ?? [],
        ignoreEndOfText: request.ignoreEndOfText,
        topLogprobs: request.topLogprobs,
        reportProgress: request.reportProgress,
        grammar: undefined,
        visibleControlTexts: [],
      };
      yield* ready.runner.generate(generation, signal);
      this.#backOff.noteSuccess(model.facts.path);
    } finally {
      release();
    }
  }

  /** Unloads a model as soon as nobody uses it. Unknown ones are no error: it is not loaded. */
  async unload(model: ResolvedModel): Promise<void> {
    const loaded = this.#loaded.get(model.facts.path);
    if (loaded === undefined) return;
    await loaded.untilIdle();
    if (this.#loaded.get(model.facts.path) === loaded) await this.#drop(loaded, "it was asked for");
  }

  /** Ends all runners; requests in them fail. */
  async close(): Promise<void> {
    this.#closed = true;
    const all = [...this.#loaded.values()];
    this.#loaded.clear();
    await Promise.all(all.map((loaded) => loaded.stop()));
  }

  /** The model for a request, marked as in use; loads or reloads where needed. */
  async #obtain(
    model: ResolvedModel,
    parameters: ModelParameters,
    request: CanonicalRequest,
    signal: AbortSignal,
  ): Promise<{ loaded: LoadedModel; release: () => void }> {
    const key = model.facts.path;
    const wanted = planLoad(model, parameters, this.#options.engine);
    while (true) {
      if (this.#closed) throw shuttingDown();
      // Nothing is loaded or unloaded for a client that has left.
      if (signal.aborted) throw cancelled();
      const loaded = this.#loaded.get(key);
      if (loaded !== undefined) {
        const reason = reloadReason(loaded.settings, wanted, parameters);
        // In use from this moment: nobody may unload it before the request gets going.
        if (reason === undefined) return { loaded, release: loaded.use() };
        if (loaded.isBusy) {
          await untilAborted(loaded.untilIdle(), signal);
          continue; // somebody else may have reloaded it meanwhile
        }
        await this.#drop(loaded, reason);
        continue;
      }
      const leaving = this.#leaving.get(key);
      if (leaving !== undefined) {
        await untilAborted(leaving, signal);
        continue;
      }
      this.#refuseWhileBackingOff(key, model.name);
      // Nothing is awaited between this look and the load: two requests would load it twice.
      if (this.#loaded.size >= this.#options.maximumLoadedModels) {
        await this.#makeRoom(signal);
        continue;
      }
      const fresh = this.#load(model, wanted, request.keepAliveMs ?? this.#options.keepAliveMs);
      return { loaded: fresh, release: fresh.use() };
    }
  }

  #load(
    model: ResolvedModel,
    settings: ReturnType<typeof planLoad>,
    keepAliveMs: number,
  ): LoadedModel {
    const key = model.facts.path;
    const loaded = new LoadedModel({
      model,
      settings,
      keepAliveMs,
      loadTimeoutMs: this.#options.loadTimeoutMs,
      clock: this.#clock,
      log: this.#options.log,
      engineLog: this.#options.engineLog,
      onIdleTooLong: (idle) => void this.#drop(idle, "its keep-alive time is over"),
      onEnd: (ended, crashed) => {
        if (this.#loaded.get(key) === ended) this.#loaded.delete(key);
        if (crashed) this.#backOff.noteCrash(key);
      },
    });
    this.#loaded.set(key, loaded);
    loaded.begin();
    return loaded;
  }

  async #drop(loaded: LoadedModel, why: string): Promise<void> {
    const key = loaded.model.facts.path;
    if (this.#loaded.get(key) === loaded) this.#loaded.delete(key);
    this.#options.log(`unloading ${loaded.model.name}: ${why}`);
    const gone = loaded.stop().finally(() => {
      if (this.#leaving.get(key) === gone) this.#leaving.delete(key);
    });
    this.#leaving.set(key, gone);
    await gone;
  }

  /** Unloads a model or waits for one; the state must be looked at anew afterwards. */
  async #makeRoom(signal: AbortSignal): Promise<void> {
    const leastRecent = this.models.toReversed();
    const idle = leastRecent.find((loaded) => !loaded.isBusy);
    if (idle !== undefined) {
      await this.#drop(idle, "another model needs the room and it was used least recently");
    } else {
      await untilAborted(Promise.race(leastRecent.map((loaded) => loaded.untilIdle())), signal);
    }
  }

  #refuseWhileBackingOff(key: string, name: string): void {
    const remainingMs = this.#backOff.remainingMs(key);
    if (remainingMs === 0) return;
    const seconds = Math.ceil(remainingMs / 1000);
    throw new ProductError(engineErrors.backingOff, {
      message: `${name} crashed several times in a row; it is loaded again in ${seconds} s at the earliest.`,
      hint: "The server's log says why it crashed.",
      retryAfterSeconds: seconds,
    });
  }
}

function renderPrompt(request: CanonicalRequest, ready: ReadyModel): PromptSegment[] {
  const { input } = request;
  if (input.kind === "chat") {
    return ready.template.render({ messages: input.messages, tools: input.tools }, ready.facts);
  }
  return input.kind === "raw" ? [{ text: input.text, special: true }] : [];
}

function definedOnly(parameters: ModelParameters): ModelParameters {
  return Object.fromEntries(
    Object.entries(parameters).filter(([, value]) => value !== undefined),
  ) as ModelParameters;
}

async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) throw cancelled();
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(cancelled());
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

function cancelled(): ProductError {
  return new ProductError(engineErrors.cancelled, { message: "The request was cancelled." });
}

function shuttingDown(): ProductError {
  return new ProductError(engineErrors.shuttingDown, {
    message: "The server is stopping and takes no new requests.",
    hint: "Start it again with modelctl serve.",
  });
}
