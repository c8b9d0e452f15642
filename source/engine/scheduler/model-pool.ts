// Pool of loaded models: finds the one for a request and unloads others to make room.
import type { Clock } from "../../base/clock.ts";
import { shownModel } from "../../base/display-text.ts";
import type { ResolvedModel } from "../../store/model-catalog.ts";
import type { ModelParameters } from "../../store/model-parameters.ts";
import type { EngineWarning } from "../request.ts";
import type { LoadSettings } from "../runner/load-settings.ts";
import { BackOff } from "./back-off.ts";
import {
  CardMemory,
  cardText,
  type FreeRoom,
  loadSentence,
  roomNeed,
  shortageOf,
} from "./card-plan.ts";
import {
  type EngineSettings,
  filesOf,
  type ModelFiles,
  mayNeedReload,
  planLoad,
  type RequestNeed,
  reloadReason,
  windowWarning,
} from "./load-plan.ts";
import { LoadedModel } from "./loaded-model.ts";
import { freeMemoryBytes } from "./memory-plan.ts";
import { mtpWarning } from "./mtp-plan.ts";
import { placementWarning } from "./placement-plan.ts";
import { crashedTooOften, noRoom, shuttingDown, tooManyWaiting } from "./pool-errors.ts";
import { cancelled, untilAborted } from "./until-aborted.ts";

export interface ModelPoolOptions {
  engine: EngineSettings;
  /** Milliseconds that a model stays loaded after its last request; Infinity pins it. */
  keepAliveMs: number;
  loadTimeoutMs: number;
  maxLoadedModels: number;
  /** Runners start before this resolves, but take a model's memory only afterwards. */
  mayLoad?: Promise<void>;
  log: (text: string) => void;
  /** Called with each line of the engine's own log. */
  engineLog: (text: string) => void;
  /** Called when a model was unloaded to make room. */
  onEvicted?: () => void;
  onLoaded?: (milliseconds: number) => void;
  /** Called when a runner ended unexpectedly. */
  onCrashed?: () => void;
  clock: Clock;
  /** Bytes of memory that can be taken without swapping. */
  freeBytes?: () => number;
  /** Memory of the graphics card. */
  card?: CardMemory;
}

type Shortage = "card" | "memory";

/** A request's requirements for its model. */
export interface Requirements {
  /** The model's parameters overridden by the request's. */
  parameters: ModelParameters;
  /** New keep-alive time of the model; undefined leaves it unchanged. */
  keepAliveMs: number | undefined;
  need?: RequestNeed;
  /** Called with the number of users that must finish before the model can be reloaded. */
  onWait?: ((ahead: number) => void) | undefined;
  /** Called when another model is unloaded for the request, or it gets another window than it asks for. */
  onWarning?: ((warning: EngineWarning) => void) | undefined;
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
  /** Models by their files: created models on the same file share a runner. */
  readonly #loaded = new Map<string, LoadedModel>();
  /** Models that are being unloaded, until their memory is free. */
  readonly #leaving = new Map<string, Promise<void>>();
  /** Reasons of the last unloads. */
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
   * Returns the model for a request, marked as in use; loads or reloads it if needed.
   *
   * @throws ProductError `ENGINE_CANCELLED`, `ENGINE_QUEUE_FULL`, `ENGINE_BACKING_OFF`,
   *   `ENGINE_SHUTTING_DOWN`, `ENGINE_NO_ROOM`
   */
  async obtain(
    model: ResolvedModel,
    { parameters, keepAliveMs, need, onWait, onWarning }: Requirements,
    signal: AbortSignal,
  ): Promise<Lease> {
    let wait: { for: LoadedModel; end: () => void } | undefined;
    /** Keeps later requests from starting on the model once the older ones have ended. */
    const waitFor = (loaded: LoadedModel) => {
      if (wait?.for === loaded) return;
      wait?.end();
      wait = { for: loaded, end: loaded.awaitReload() };
    };
    try {
      const window = windowWarning(model, parameters);
      if (window !== undefined) onWarning?.({ kind: "window", sentence: window });
      for (const warning of [placementWarning, mtpWarning]) {
        const sentence = warning(model, parameters);
        if (sentence !== undefined) onWarning?.({ kind: "left-out", sentence });
      }
      const checks = Promise.all([filesOf(model), this.#card.refresh()]);
      const [files] = await untilAborted(checks, signal);
      const { key } = files;
      while (true) {
        if (this.#closed) throw shuttingDown();
        // Nothing is loaded or unloaded for a client that disconnected.
        if (signal.aborted) throw cancelled();
        const loaded = this.#madeOf(files);
        if (loaded !== undefined) {
          const reason =
            loaded.files.state === files.state
              ? this.#reloadReason(loaded, model, parameters, need)
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
          await this.#makeRoom(model, { shortage, waitFor, onWarning }, signal);
          continue;
        }
        // No await between reading the map and loading: two requests would load twice.
        const keepMs = keepAliveMs ?? this.#options.keepAliveMs;
        return this.#lease(this.#load(model, files, settings, keepMs), model);
      }
    } finally {
      wait?.end();
    }
  }

  /** Returns the loaded model with the same files; its name and their paths may differ. */
  async find(model: ResolvedModel): Promise<LoadedModel | undefined> {
    return this.#madeOf(await filesOf(model));
  }

  /** Inodes only tell the same files if nothing else about them differs. */
  #madeOf({ key, inodes, state }: ModelFiles): LoadedModel | undefined {
    const isLinked = ({ files }: LoadedModel) => files.inodes === inodes && files.state === state;
    return this.#loaded.get(key) ?? [...this.#loaded.values()].find(isLinked);
  }

  /** Returns the memory that is free for the next model. */
  async freeRoom(): Promise<FreeRoom> {
    await this.#card.refresh();
    return this.#free;
  }

  /**
   * Unloads a model as soon as it is not in use, and the former model of the same name. Does
   * nothing for a model that is not loaded.
   */
  async unload(model: ResolvedModel): Promise<void> {
    const own = await this.find(model);
    const gone = this.#dropFormer(model, own);
    if (own !== undefined) gone.push(this.#dropWhenIdle(own, "unloaded on request"));
    await Promise.all(gone);
  }

  /**
   * Unloads the former models of this name that no other name refers to.
   *
   * @param current the model that the name refers to now, if it is loaded
   */
  #dropFormer(model: ResolvedModel, current: LoadedModel | undefined): Promise<void>[] {
    return [...this.#loaded.values()]
      .filter((loaded) => loaded !== current && loaded.isNamedOnly(model.name))
      .map((former) =>
        this.#dropWhenIdle(former, `${shownModel(model.name)} now refers to other files`),
      );
  }

  async #dropWhenIdle(loaded: LoadedModel, why: string): Promise<void> {
    await loaded.untilIdle();
    if (this.#loaded.get(loaded.files.key) === loaded) await this.#drop(loaded, why);
  }

  noteSuccess({ files }: LoadedModel): void {
    this.#backOff.noteSuccess(files.key);
  }

  /** Stops all runners; their requests fail. */
  async close(): Promise<void> {
    this.#closed = true;
    const all = [...this.#loaded.values()];
    this.#loaded.clear();
    await Promise.all(all.map((loaded) => loaded.stop()));
  }

  /** Plans a load only for a request that names settings of one. */
  #reloadReason(
    { settings }: LoadedModel,
    model: ResolvedModel,
    parameters: ModelParameters,
    need: RequestNeed,
  ): string | undefined {
    // A model that shares its weights with one without a draft model is loaded again with it.
    if (!mayNeedReload(parameters, need) && model.draft === undefined) return undefined;
    return reloadReason(settings, this.#plan(model, parameters, need), parameters, need);
  }

  #plan(model: ResolvedModel, parameters: ModelParameters, need: RequestNeed): LoadSettings {
    return planLoad(model, parameters, this.#options.engine, this.#free, need);
  }

  /** Limits waiting for a load like waiting for a slot, which the runner limits itself. */
  #lease(loaded: LoadedModel, model: ResolvedModel): Lease {
    const { slots, maxQueue } = loaded.settings;
    if (loaded.facts === undefined && loaded.users >= maxQueue + slots) {
      throw tooManyWaiting(loaded);
    }
    loaded.noteName(model.name);
    void Promise.all(this.#dropFormer(model, loaded));
    // In use from now on, so that it is not unloaded before the request starts.
    return { loaded, release: loaded.use() };
  }

  #load(
    model: ResolvedModel,
    files: ModelFiles,
    settings: LoadSettings,
    keepAliveMs: number,
  ): LoadedModel {
    const { key } = files;
    const { engine, log, clock, engineLog, loadTimeoutMs, mayLoad } = this.#options;
    log(
      `loading ${shownModel(model.name)}: ${loadSentence(model, settings, this.#free, engine.slots)}`,
    );
    const started = clock.now();
    const loaded = new LoadedModel({
      model,
      files,
      settings,
      keepAliveMs,
      reloadedAfter: this.#unloadedFor.get(key),
      loadTimeoutMs,
      mayLoad,
      clock,
      log,
      engineLog,
      onIdleTooLong: (idle) => void this.#drop(idle, "its keep-alive time has passed"),
      onEnd: (ended, crashed) => {
        if (this.#loaded.get(key) === ended) this.#loaded.delete(key);
        if (ended.facts !== undefined) this.#card.noteGone(ended.facts);
        if (!crashed) return;
        this.#unloadedFor.set(key, "its runner crashed");
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
      () => {}, // every waiting request gets the error
    );
    loaded.begin();
    return loaded;
  }

  async #drop(loaded: LoadedModel, why: string): Promise<void> {
    const { key } = loaded.files;
    if (this.#loaded.get(key) === loaded) this.#loaded.delete(key);
    this.#unloadedFor.set(key, why);
    this.#options.log(`unloading ${shownModel(loaded.model.name)}: ${why}`);
    const gone = loaded.stop().finally(() => {
      if (this.#leaving.get(key) === gone) this.#leaving.delete(key);
    });
    this.#leaving.set(key, gone);
    await gone;
  }

  /**
   * Returns the kind of memory that is short, or undefined when the model can be loaded. The only
   * model is loaded whatever its size, since nothing could be unloaded for it.
   */
  #shortage(model: ResolvedModel, settings: LoadSettings): Shortage | undefined {
    if (this.#loaded.size === 0) return undefined;
    if (this.#loaded.size >= this.#options.maxLoadedModels) return "memory";
    const loading = this.models.filter(({ facts }) => facts === undefined);
    return shortageOf(
      roomNeed(model, settings),
      this.#free,
      loading.map((other) => roomNeed(other.model, other.settings)),
      this.models.some((other) => isOnCard(other) && mayLeave(other)),
    );
  }

  /**
   * Unloads a model or waits for one; the caller must check again afterwards. Waits for the model
   * that would be unloaded first, so that requests that keep it busy do not keep it loaded forever.
   */
  async #makeRoom(
    model: ResolvedModel,
    {
      shortage,
      waitFor,
      onWarning,
    }: Pick<Requirements, "onWarning"> & {
      shortage: Shortage;
      waitFor: (loaded: LoadedModel) => void;
    },
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
      const why = `${shownModel(model.name)} needs ${room}, and it was used least recently`;
      onWarning?.({
        kind: "evicted",
        sentence: `Unloaded ${shownModel(idle.model.name)}: ${why}.`,
      });
      await this.#drop(idle, why);
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
