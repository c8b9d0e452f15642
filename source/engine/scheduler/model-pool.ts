// The models that are loaded: which one serves a request, and who has to leave for another.
import type { Clock } from "../../base/clock.ts";
import type { ResolvedModel } from "../../store/model-catalog.ts";
import type { ModelParameters } from "../../store/model-parameters.ts";
import type { LoadSettings } from "../runner/load-settings.ts";
import { BackOff } from "./back-off.ts";
import { CardMemory, type FreeRoom, roomNeed, shortageOf } from "./card-plan.ts";
import { type EngineSettings, planLoad, type RequestNeed, reloadReason } from "./load-plan.ts";
import { cardText, loadSentence } from "./load-sentence.ts";
import { LoadedModel } from "./loaded-model.ts";
import { freeMemoryBytes } from "./memory-plan.ts";
import { stateOfFiles } from "./model-files.ts";
import { crashedTooOften, noRoom, shuttingDown, tooManyWait } from "./pool-refusals.ts";
import { cancelled, untilAborted } from "./until-aborted.ts";

export interface ModelPoolOptions {
  engine: EngineSettings;
  /** How long a model stays loaded after its last request; Infinity for good. */
  keepAliveMs: number;
  loadTimeoutMs: number;
  maximumLoadedModels: number;
  /** Runners are started before this resolves, but take a model's memory only afterwards. */
  mayLoad?: Promise<void>;
  log: (text: string) => void;
  /** Takes what the engine itself says, line by line. */
  engineLog: (text: string) => void;
  /** Told when a model was unloaded to make room. */
  onEvicted?: () => void;
  onLoaded?: (milliseconds: number) => void;
  /** Told when a runner ended by itself. */
  onCrashed?: () => void;
  clock: Clock;
  /** Bytes that can be taken without pushing others out. */
  freeBytes?: () => number;
  /** What is known of the graphics card. */
  card?: CardMemory;
}

type Shortage = "card" | "memory";

/** What a request wants of a model. */
export interface Wishes {
  /** The model's overridden by the request's. */
  parameters: ModelParameters;
  /** Of the model from now on; undefined leaves it as it is. */
  keepAliveMs: number | undefined;
  need?: RequestNeed;
  /** Told how many use the model where it must be loaded anew before it serves the request. */
  onWait?: (ahead: number) => void;
}

/** A model in use, until `release` is called. */
export interface Lease {
  loaded: LoadedModel;
  release: () => void;
}

export class ModelPool {
  readonly #options: ModelPoolOptions;
  readonly #backOff: BackOff;
  readonly #freeBytes: () => number;
  /** By what they are made of: created models on one file share a runner. */
  readonly #loaded = new Map<string, LoadedModel>();
  /** Models whose memory is not back yet. */
  readonly #leaving = new Map<string, Promise<void>>();
  /** Why models were unloaded the last time. */
  readonly #unloadedFor = new Map<string, string>();
  readonly #card: CardMemory;
  #closed = false;

  constructor(options: ModelPoolOptions) {
    this.#options = options;
    this.#backOff = new BackOff(options.clock);
    this.#freeBytes = options.freeBytes ?? freeMemoryBytes;
    this.#card = options.card ?? new CardMemory();
  }

  /** Loaded models and those being loaded, the most recently used first. */
  get models(): LoadedModel[] {
    return [...this.#loaded.values()].sort((a, b) => b.lastUsed - a.lastUsed);
  }

  /**
   * The model for a request, marked as in use; loads or reloads where needed.
   *
   * @throws ProductError `ENGINE_CANCELLED`, `ENGINE_QUEUE_FULL`, `ENGINE_BACKING_OFF`,
   *   `ENGINE_SHUTTING_DOWN`, `ENGINE_NO_ROOM`
   */
  async obtain(
    model: ResolvedModel,
    { parameters, keepAliveMs, need, onWait }: Wishes,
    signal: AbortSignal,
  ): Promise<Lease> {
    const key = keyOf(model);
    let wait: { for: LoadedModel; end: () => void } | undefined;
    /** Others that a model serves as it is no longer begin there once the older ones have ended. */
    const waitFor = (loaded: LoadedModel) => {
      if (wait?.for === loaded) return;
      wait?.end();
      wait = { for: loaded, end: loaded.awaitReload() };
    };
    try {
      const look = Promise.all([stateOfFiles(model), this.#card.look()]);
      const [filesState] = await untilAborted(look, signal);
      while (true) {
        if (this.#closed) throw shuttingDown();
        // Nothing is loaded or unloaded for a client that has left.
        if (signal.aborted) throw cancelled();
        const loaded = this.#loaded.get(key);
        if (loaded !== undefined) {
          const wanted = this.#plan(model, parameters, need);
          const reason =
            loaded.filesState === filesState
              ? reloadReason(loaded.settings, wanted, parameters, need)
              : "its file has changed";
          if (reason === undefined) {
            wait?.end();
            wait = undefined;
            if (loaded.isOpen) return this.#lease(loaded, model);
            onWait?.(loaded.users);
            await untilAborted(loaded.untilOpen(), signal);
          } else if (loaded.isBusy) {
            waitFor(loaded);
            onWait?.(loaded.users);
            await untilAborted(loaded.untilIdle(), signal);
          } else {
            await this.#drop(loaded, reason);
          }
          continue;
        }
        const leaving = this.#leaving.get(key);
        if (leaving !== undefined) {
          await untilAborted(leaving, signal);
          continue;
        }
        const backOffMs = this.#backOff.remainingMs(key);
        if (backOffMs > 0) throw crashedTooOften(model, backOffMs);
        const settings = this.#plan(model, parameters, need);
        const shortage = this.#shortage(model, settings);
        if (shortage !== undefined) {
          await this.#makeRoom(model, { shortage, waitFor }, signal);
          continue;
        }
        // Nothing is awaited between the look at the map and the load: two requests would load twice.
        const keptMs = keepAliveMs ?? this.#options.keepAliveMs;
        return this.#lease(this.#load(model, filesState, settings, keptMs), model);
      }
    } finally {
      wait?.end();
    }
  }

  /** What is loaded, or being loaded, of the model's files; its name may be another. */
  find(model: ResolvedModel): LoadedModel | undefined {
    return this.#loaded.get(keyOf(model));
  }

  /** What a model that is loaded now would find. */
  async freeRoom(): Promise<FreeRoom> {
    await this.#card.look();
    return this.#free;
  }

  /**
   * Unloads a model as soon as nobody uses it, and what its name alone meant before. Unknown ones are no
   * error: it is not loaded.
   */
  async unload(model: ResolvedModel): Promise<void> {
    const own = this.#loaded.get(keyOf(model));
    const gone = this.#dropFormer(model);
    if (own !== undefined) gone.push(this.#dropWhenIdle(own, "it was asked for"));
    await Promise.all(gone);
  }

  /** Unloads what the model's name, and no other, meant before: nobody can ask for it any more. */
  #dropFormer(model: ResolvedModel): Promise<void>[] {
    const key = keyOf(model);
    return [...this.#loaded.values()]
      .filter((loaded) => keyOf(loaded.model) !== key && loaded.isNamedOnly(model.name))
      .map((former) => this.#dropWhenIdle(former, `${model.name} is made of other files now`));
  }

  async #dropWhenIdle(loaded: LoadedModel, why: string): Promise<void> {
    await loaded.untilIdle();
    if (this.#loaded.get(keyOf(loaded.model)) === loaded) await this.#drop(loaded, why);
  }

  noteSuccess(model: ResolvedModel): void {
    this.#backOff.noteSuccess(keyOf(model));
  }

  /** Ends all runners; requests in them fail. */
  async close(): Promise<void> {
    this.#closed = true;
    const all = [...this.#loaded.values()];
    this.#loaded.clear();
    await Promise.all(all.map((loaded) => loaded.stop()));
  }

  #plan(model: ResolvedModel, parameters: ModelParameters, need: RequestNeed): LoadSettings {
    return planLoad(model, parameters, this.#options.engine, this.#free, need);
  }

  /** Waiting for a load is bounded like waiting for a slot; the runner bounds the latter itself. */
  #lease(loaded: LoadedModel, model: ResolvedModel): Lease {
    const { slots, maximumQueue } = loaded.settings;
    if (loaded.facts === undefined && loaded.users >= maximumQueue + slots) {
      throw tooManyWait(loaded);
    }
    loaded.noteName(model.name);
    void Promise.all(this.#dropFormer(model));
    // In use from this moment: nobody may unload it before the request gets going.
    return { loaded, release: loaded.use() };
  }

  #load(
    model: ResolvedModel,
    filesState: string,
    settings: LoadSettings,
    keepAliveMs: number,
  ): LoadedModel {
    const key = keyOf(model);
    const { engine, log, clock, engineLog, loadTimeoutMs, mayLoad } = this.#options;
    log(`loading ${model.name}: ${loadSentence(model, settings, this.#free, engine.slots)}`);
    const started = clock.now();
    const loaded = new LoadedModel({
      model,
      filesState,
      settings,
      keepAliveMs,
      reloadedAfter: this.#unloadedFor.get(key),
      loadTimeoutMs,
      mayLoad,
      clock,
      log,
      engineLog,
      onIdleTooLong: (idle) => void this.#drop(idle, "its keep-alive time is over"),
      onEnd: (ended, crashed) => {
        if (this.#loaded.get(key) === ended) this.#loaded.delete(key);
        if (ended.facts !== undefined) this.#card.noteGone(ended.facts);
        if (!crashed) return;
        this.#unloadedFor.set(key, "its runner ended by itself");
        this.#backOff.noteCrash(key);
        this.#options.onCrashed?.();
      },
    });
    this.#loaded.set(key, loaded);
    loaded.ready.then(
      ({ facts }) => {
        this.#card.noteLoaded(facts);
        this.#options.onLoaded?.(clock.now() - started);
      },
      () => {}, // told to every request that waits for it
    );
    loaded.begin();
    return loaded;
  }

  async #drop(loaded: LoadedModel, why: string): Promise<void> {
    const key = keyOf(loaded.model);
    if (this.#loaded.get(key) === loaded) this.#loaded.delete(key);
    this.#unloadedFor.set(key, why);
    this.#options.log(`unloading ${loaded.model.name}: ${why}`);
    const gone = loaded.stop().finally(() => {
      if (this.#leaving.get(key) === gone) this.#leaving.delete(key);
    });
    this.#leaving.set(key, gone);
    await gone;
  }

  /**
   * What a model lacks, or undefined when it can be loaded. One that is alone is loaded whatever its
   * size: nobody could make room for it.
   */
  #shortage(model: ResolvedModel, settings: LoadSettings): Shortage | undefined {
    if (this.#loaded.size === 0) return undefined;
    if (this.#loaded.size >= this.#options.maximumLoadedModels) return "memory";
    const loading = this.models.filter(({ facts }) => facts === undefined);
    return shortageOf(
      roomNeed(model, settings),
      this.#free,
      loading.map((other) => roomNeed(other.model, other.settings)),
      this.models.some((other) => isOnCard(other) && mayLeave(other)),
    );
  }

  /**
   * Unloads a model or waits for one; the state must be looked at anew afterwards. The one that would
   * leave first is waited for, so that those who keep it busy do not keep its place for ever.
   */
  async #makeRoom(
    model: ResolvedModel,
    { shortage, waitFor }: { shortage: Shortage; waitFor: (loaded: LoadedModel) => void },
    signal: AbortSignal,
  ): Promise<void> {
    const candidates = this.models.toReversed().filter((loaded) => !loaded.isPinned);
    const idle = candidates.find(
      (loaded) => mayLeave(loaded) && (shortage === "memory" || isOnCard(loaded)),
    );
    if (idle !== undefined) {
      this.#options.onEvicted?.();
      const room =
        shortage === "card" ? `room on the card${cardText(this.#card.freeBytes)}` : "the room";
      await this.#drop(idle, `${model.name} needs ${room}, and it was used least recently`);
      return;
    }
    const [first] = candidates;
    if (first === undefined) throw noRoom(model, this.models);
    waitFor((shortage === "card" ? candidates.find(isOnCard) : undefined) ?? first);
    await untilAborted(Promise.race(candidates.map((loaded) => loaded.untilIdle())), signal);
  }

  get #free(): FreeRoom {
    return { memoryBytes: this.#freeBytes(), cardBytes: this.#card.freeBytes };
  }
}

function mayLeave({ isPinned, isBusy }: LoadedModel): boolean {
  return !isPinned && !isBusy;
}

function isOnCard({ facts }: LoadedModel): boolean {
  return (facts?.memory.vramBytes ?? 0) > 0;
}

function keyOf({ facts, adapters, projectors }: ResolvedModel): string {
  return JSON.stringify([facts.path, adapters, projectors]);
}
