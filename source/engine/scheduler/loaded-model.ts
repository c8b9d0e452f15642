// A model that is loaded or being loaded: its runner, who uses it, and when it leaves.
import { AsyncQueue } from "../../base/async-queue.ts";
import type { Clock } from "../../base/clock.ts";
import { shownModel } from "../../base/model-tag.ts";
import { ProductError } from "../../base/product-error.ts";
import type { ResolvedModel } from "../../store/model-catalog.ts";
import { engineErrors } from "../errors.ts";
import type { RunnerFacts } from "../generation.ts";
import type { LoadSettings } from "../runner/load-settings.ts";
import { RunnerProcess } from "../runner/runner-process.ts";

/** setTimeout cannot wait longer; 24 days are for good here. */
const longestTimerMs = 2 ** 31 - 1;

export interface LoadedModelOptions {
  model: ResolvedModel;
  /** See `stateOfFiles`. */
  filesState: string;
  settings: LoadSettings;
  keepAliveMs: number;
  /** Why it was unloaded the last time; undefined when it never was. */
  reloadedAfter: string | undefined;
  loadTimeoutMs: number;
  /** Its process starts before this resolves, its memory is taken only afterwards. */
  mayLoad?: Promise<void> | undefined;
  clock: Clock;
  log: (text: string) => void;
  engineLog: (text: string) => void;
  /** The keep-alive time is over and nobody uses it. */
  onIdleTooLong: (loaded: LoadedModel) => void;
  /** Its process ended; `crashed` when nobody asked for it. */
  onEnd: (loaded: LoadedModel, crashed: boolean) => void;
}

export interface ReadyModel {
  runner: RunnerProcess;
  facts: RunnerFacts;
}

export class LoadedModel {
  /** For which it was loaded; another of the same files once that one is gone. */
  model: ResolvedModel;
  /** Of the files that it was loaded from. */
  readonly filesState: string;
  readonly settings: LoadSettings;
  readonly reloadedAfter: string | undefined;
  /** Of all models that are made of the same files and were asked for, the first that was in front. */
  readonly names: ReadonlySet<string>;
  readonly #names: Set<string>;
  /** Resolves when it can be used; rejects with the reason why it never will. */
  readonly ready: Promise<ReadyModel>;
  readonly #ready = Promise.withResolvers<ReadyModel>();
  facts: RunnerFacts | undefined;
  /** 0 to 1 while loading, 1 after. */
  fraction = 0;
  lastUsed: number;
  keepAliveMs: number;
  /** Wall-clock time at which it leaves if nobody asks; undefined while in use or for good. */
  expiresAt: number | undefined;
  /** Requests that use it or wait for it, numbered as they came. */
  readonly #users = new Set<number>();
  #nextUser = 0;
  #hasEnded = false;
  #runner: RunnerProcess | undefined;
  #timer: NodeJS.Timeout | undefined;
  #waitingForIdle: Array<() => void> = [];
  /** Requests that wait until it can be loaded anew, each with the number of the first user behind it. */
  readonly #reloads = new Set<{ readonly before: number }>();
  #waitingForOpen: Array<() => void> = [];
  readonly #watchers = new Set<AsyncQueue<number>>();
  readonly #options: LoadedModelOptions;
  readonly #abort = new AbortController();

  constructor(options: LoadedModelOptions) {
    this.#options = options;
    this.model = options.model;
    this.#names = new Set([options.model.name]);
    this.names = this.#names;
    this.filesState = options.filesState;
    this.settings = options.settings;
    this.reloadedAfter = options.reloadedAfter;
    this.keepAliveMs = options.keepAliveMs;
    this.lastUsed = options.clock.now();
    this.ready = this.#ready.promise;
    // Everybody who waits gets the rejection; nobody waiting is no defect.
    this.ready.catch(() => {});
  }

  /** Begins to load; once, when its owner knows it. */
  begin(): void {
    this.#load().then(this.#ready.resolve, this.#ready.reject);
  }

  /** It serves a model of this name, too. */
  noteName(name: string): void {
    this.#names.add(name);
  }

  isNamedOnly(name: string): boolean {
    return this.#names.size === 1 && this.#names.has(name);
  }

  /** A model of this name is gone, or is made of other files; another of the same files stands for it. */
  passOn(name: string, heir: ResolvedModel): void {
    this.#names.delete(name);
    if (this.model.name === name) this.model = heir;
  }

  /** Stays until it is unloaded by name. */
  get isPinned(): boolean {
    return this.keepAliveMs === Number.POSITIVE_INFINITY;
  }

  /** Requests that use it or wait for it. */
  get users(): number {
    return this.#users.size;
  }

  get isBusy(): boolean {
    return this.#users.size > 0;
  }

  /**
   * Whether a request that it serves as it is may begin. Where others wait for it to be loaded anew, that
   * is so while an older request runs, for which they wait anyway; then it comes behind them.
   */
  get isOpen(): boolean {
    const [reload] = this.#reloads;
    if (reload === undefined) return true;
    const [oldest] = this.#users;
    return oldest !== undefined && oldest < reload.before;
  }

  get runner(): RunnerProcess | undefined {
    return this.#runner;
  }

  /** Fractions of the load as they come, ending when the load does. */
  async *progress(): AsyncGenerator<number> {
    const watcher = new AsyncQueue<number>();
    this.#watchers.add(watcher);
    watcher.push(this.fraction);
    const end = () => watcher.end();
    this.ready.then(end, end);
    try {
      yield* watcher;
    } finally {
      this.#watchers.delete(watcher);
    }
  }

  /** Marks it as in use until the returned function is called. */
  use(): () => void {
    const user = this.#nextUser;
    this.#nextUser += 1;
    this.#users.add(user);
    clearTimeout(this.#timer);
    this.expiresAt = undefined;
    return () => {
      if (!this.#users.delete(user)) return;
      this.lastUsed = this.#options.clock.now();
      if (this.isBusy) return;
      this.startIdleTimer();
      for (const resolve of this.#waitingForIdle.splice(0)) resolve();
    };
  }

  /** Begins the keep-alive time if nobody uses it. */
  startIdleTimer(): void {
    clearTimeout(this.#timer);
    if (this.#hasEnded || this.isBusy || this.keepAliveMs === Number.POSITIVE_INFINITY) return;
    this.expiresAt = this.#options.clock.wallMs() + this.keepAliveMs;
    const delay = Math.min(this.keepAliveMs, longestTimerMs);
    this.#timer = setTimeout(() => {
      if (!this.isBusy) this.#options.onIdleTooLong(this);
    }, delay);
    this.#timer.unref();
  }

  /** Resolves when nobody uses it. */
  async untilIdle(): Promise<void> {
    if (!this.isBusy) return;
    await new Promise<void>((resolve) => {
      this.#waitingForIdle.push(resolve);
    });
  }

  /** Marks it as about to be loaded anew for a request, until the returned function is called. */
  awaitReload(): () => void {
    const reload = { before: this.#nextUser };
    this.#reloads.add(reload);
    return () => {
      this.#reloads.delete(reload);
      if (this.isOpen) this.#tellOpen();
    };
  }

  /** Resolves when it may be open to requests that it serves as it is, or is gone. */
  async untilOpen(): Promise<void> {
    if (this.isOpen || this.#hasEnded) return;
    await new Promise<void>((resolve) => {
      this.#waitingForOpen.push(resolve);
    });
  }

  #tellOpen(): void {
    for (const resolve of this.#waitingForOpen.splice(0)) resolve();
  }

  /** Unloads it; resolves when its memory is given back. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#abort.abort();
    await this.#runner?.stop();
    // While it loads, the aborted start ends its process; only then its memory is back.
    await this.ready.then(
      () => {},
      () => {},
    );
  }

  #end(crashed: boolean): void {
    this.#hasEnded = true;
    this.#tellOpen();
    clearTimeout(this.#timer);
    this.#options.onEnd(this, crashed);
  }

  async #load(): Promise<ReadyModel> {
    const { settings, model, log, engineLog, clock } = this.#options;
    const started = clock.now();
    let stalled = false;
    const limitMs = this.#options.loadTimeoutMs;
    const stall = () => {
      if (limitMs === 0 || limitMs === Number.POSITIVE_INFINITY) return undefined; // no limit
      return setTimeout(
        () => {
          stalled = true;
          this.#abort.abort();
        },
        Math.min(limitMs, longestTimerMs),
      );
    };
    let timer = stall();
    try {
      const { runner, facts } = await RunnerProcess.start(
        settings,
        {
          progress: (fraction) => {
            clearTimeout(timer);
            timer = stall();
            this.fraction = fraction;
            for (const watcher of this.#watchers) watcher.push(fraction);
          },
          log: (lines) => {
            for (const line of lines) engineLog(`${shownModel(model.name)}: ${line}`);
          },
          warn: (text) => log(`${shownModel(model.name)}: ${text}`),
        },
        this.#abort.signal,
        this.#options.mayLoad,
      );
      this.#runner = runner;
      this.facts = facts;
      this.fraction = 1;
      void runner.exited.then((exit) => {
        if (!exit.expected) {
          log(`the runner of ${shownModel(model.name)} ${exit.how}; its last lines:`);
          for (const line of exit.lastLines) log(`  ${line}`);
        }
        this.#end(!exit.expected);
      });
      const seconds = ((clock.now() - started) / 1000).toFixed(2);
      log(
        `loaded ${shownModel(model.name)} in ${seconds} s (${phasesText(facts)}): ${facts.device.reason}`,
      );
      this.startIdleTimer();
      return { runner, facts };
    } catch (error) {
      const crashed =
        error instanceof ProductError && error.code === engineErrors.runnerCrashed.code;
      this.#end(crashed);
      if (!stalled) throw error;
      throw new ProductError(engineErrors.loadTimeout, {
        message: `Loading ${shownModel(model.name)} made no progress for ${Math.round(this.#options.loadTimeoutMs / 1000)} s and was given up.`,
        hint: "Check the disk, or raise MODELCTL_LOAD_TIMEOUT.",
      });
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Where the time of a load went. */
function phasesText({ loadPhases }: RunnerFacts): string {
  return Object.entries(loadPhases)
    .map(([name, milliseconds]) => `${name} ${Math.round(milliseconds)} ms`)
    .join(", ");
}
