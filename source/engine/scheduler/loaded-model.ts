// A model that is loaded or being loaded: its runner, its users, and its keep-alive timer.
import { AsyncQueue } from "../../base/async-queue.ts";
import type { Clock } from "../../base/clock.ts";
import { shownModel } from "../../base/display-text.ts";
import { ProductError } from "../../base/product-error.ts";
import type { ResolvedModel } from "../../store/model-catalog.ts";
import { engineErrors } from "../errors.ts";
import type { RunnerFacts } from "../generation.ts";
import type { LoadSettings } from "../runner/load-settings.ts";
import { RunnerProcess } from "../runner/runner-process.ts";
import type { ModelFiles } from "./load-plan.ts";

/** Limit of setTimeout; 24 days count as forever here. */
const longestTimerMs = 2 ** 31 - 1;

export interface LoadedModelOptions {
  model: ResolvedModel;
  files: ModelFiles;
  settings: LoadSettings;
  keepAliveMs: number;
  /** Reason of the last unload; undefined for the first load. */
  reloadedAfter: string | undefined;
  loadTimeoutMs: number;
  /** The process starts before this resolves, and takes the model's memory only afterwards. */
  mayLoad?: Promise<void> | undefined;
  clock: Clock;
  log: (text: string) => void;
  engineLog: (text: string) => void;
  /** Called when the keep-alive time is over and the model is not in use. */
  onIdleTooLong: (loaded: LoadedModel) => void;
  /** Called when the process ended; `crashed` unless the server stopped it. */
  onEnd: (loaded: LoadedModel, crashed: boolean) => void;
}

export interface ReadyModel {
  runner: RunnerProcess;
  facts: RunnerFacts;
}

export class LoadedModel {
  /** Model it was loaded for; replaced by another of the same files when that one is deleted. */
  model: ResolvedModel;
  /** The files that it was loaded from. */
  readonly files: ModelFiles;
  readonly settings: LoadSettings;
  readonly reloadedAfter: string | undefined;
  /** Names of all requested models that are made of the same files, the first in front. */
  readonly names: ReadonlySet<string>;
  readonly #names: Set<string>;
  /** Resolves when the model can be used; rejects with the reason if loading fails. */
  readonly ready: Promise<ReadyModel>;
  readonly #ready = Promise.withResolvers<ReadyModel>();
  facts: RunnerFacts | undefined;
  /** Fraction of the weights that are read, 0 to 1. */
  fraction = 0;
  lastUsed: number;
  keepAliveMs: number;
  /** Wall-clock time at which it is unloaded without requests; undefined while in use or pinned. */
  expiresAt: number | undefined;
  /** Requests that use it or wait for it, numbered in order of arrival. */
  readonly #users = new Set<number>();
  #nextUser = 0;
  #hasEnded = false;
  #runner: RunnerProcess | undefined;
  #timer: NodeJS.Timeout | undefined;
  #untoldWarnings: readonly string[] = [];
  #waitingForIdle: Array<() => void> = [];
  /** Requests that wait for a reload, each with the number of the first later user. */
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
    this.files = options.files;
    this.settings = options.settings;
    this.reloadedAfter = options.reloadedAfter;
    this.keepAliveMs = options.keepAliveMs;
    this.lastUsed = options.clock.now();
    this.ready = this.#ready.promise;
    // Every waiter gets the rejection; having no waiter is not an error.
    this.ready.catch(() => {});
  }

  /** Starts to load. Called once, after the owner has stored this object. */
  begin(): void {
    this.#load().then(this.#ready.resolve, this.#ready.reject);
  }

  /** Records another name of the same model. */
  noteName(name: string): void {
    this.#names.add(name);
  }

  isNamedOnly(name: string): boolean {
    return this.#names.size === 1 && this.#names.has(name);
  }

  /** Removes the name of a deleted or changed model; `successor` has the same files. */
  dropName(name: string, successor: ResolvedModel): void {
    this.#names.delete(name);
    if (this.model.name === name) this.model = successor;
  }

  /** Stays loaded until it is unloaded by name. */
  get isPinned(): boolean {
    return this.keepAliveMs === Number.POSITIVE_INFINITY;
  }

  /** Number of requests that use it or wait for it. */
  get users(): number {
    return this.#users.size;
  }

  get isBusy(): boolean {
    return this.#users.size > 0;
  }

  /**
   * True if a request that needs no reload may start. While others wait for a reload, that holds only
   * as long as an older request runs, for which they must wait anyway.
   */
  get isOpen(): boolean {
    const [reload] = this.#reloads;
    if (reload === undefined) return true;
    const [oldest] = this.#users;
    return oldest !== undefined && oldest < reload.before;
  }

  /** `warming up` once the weights are read, until it can be used. */
  get state(): "loading" | "warming up" | "busy" | "idle" {
    if (this.facts !== undefined) return this.isBusy ? "busy" : "idle";
    return this.fraction < 1 ? "loading" : "warming up";
  }

  get runner(): RunnerProcess | undefined {
    return this.#runner;
  }

  /** Returns what it runs without, for the first request that asks. */
  takeWarnings(): readonly string[] {
    const warnings = this.#untoldWarnings;
    this.#untoldWarnings = [];
    return warnings;
  }

  /** Yields the fractions of the load, and ends when the load does. */
  progress(): AsyncIterable<number> {
    const watcher = new AsyncQueue<number>(() => this.#watchers.delete(watcher));
    this.#watchers.add(watcher);
    watcher.push(this.fraction);
    const end = () => watcher.end();
    this.ready.then(end, end);
    return watcher;
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

  /** Starts the keep-alive time unless it is in use. */
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

  /** Resolves when it is not in use. */
  async untilIdle(): Promise<void> {
    if (!this.isBusy) return;
    await new Promise<void>((resolve) => {
      this.#waitingForIdle.push(resolve);
    });
  }

  /** Marks it as waiting for a reload until the returned function is called. */
  awaitReload(): () => void {
    const reload = { before: this.#nextUser };
    this.#reloads.add(reload);
    return () => {
      this.#reloads.delete(reload);
      if (this.isOpen) this.#notifyOpen();
    };
  }

  /** Resolves when it may be open to requests that need no reload, or has ended. */
  async untilOpen(): Promise<void> {
    if (this.isOpen || this.#hasEnded) return;
    await new Promise<void>((resolve) => {
      this.#waitingForOpen.push(resolve);
    });
  }

  #notifyOpen(): void {
    for (const resolve of this.#waitingForOpen.splice(0)) resolve();
  }

  /** Unloads it; resolves when its memory is free. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#abort.abort();
    await this.#runner?.stop();
    // During a load, the aborted start ends the process; only then the memory is free.
    await this.ready.then(
      () => {},
      () => {},
    );
  }

  #end(crashed: boolean): void {
    this.#hasEnded = true;
    this.#notifyOpen();
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
            if (fraction <= this.fraction) return;
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
      this.#untoldWarnings = facts.warnings;
      for (const sentence of facts.warnings) log(`${shownModel(model.name)}: ${sentence}`);
      this.fraction = 1;
      void runner.exited.then((exit) => {
        if (!exit.expected) log(`the runner of ${shownModel(model.name)} ${exit.how}`);
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
        message: `Loading ${shownModel(model.name)} stopped: no progress for ${Math.round(this.#options.loadTimeoutMs / 1000)} s.`,
        hint: "Check the disk, or raise MODELCTL_LOAD_TIMEOUT.",
      });
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Formats the time of each phase of a load. */
function phasesText({ loadPhases }: RunnerFacts): string {
  return Object.entries(loadPhases)
    .map(([name, milliseconds]) => `${name} ${Math.round(milliseconds)} ms`)
    .join(", ");
}
