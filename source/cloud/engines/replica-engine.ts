// Part of an engine that does not depend on where replicas run: their start, their logs, listeners.
import { type Clock, systemClock } from "../../base/clock.ts";
import { describeError, ProductError } from "../../base/product-error.ts";
import { cloudErrors } from "../errors.ts";
import type { ReplicaObservation, ReplicaRequest, RevisionPlan } from "./engine.ts";
import type { EngineReplica, EngineReplicaContext } from "./engine-replica.ts";
import { defaultHealth, type HealthSettings } from "./health-watch.ts";
import { type LogPlace, LogStore } from "./logs/log-store.ts";

export interface ReplicaEngineOptions {
  stateFolder: string;
  /** Logs the engine's own problems. */
  log: (text: string) => void;
  clock?: Clock;
  health?: HealthSettings;
  /**
   * Returns true while the gateway has requests at a replica: a busy one may leave a health check
   * unanswered.
   */
  isBusy?: (replica: string) => boolean;
}

const removeLogsMs = 3_600_000;

export abstract class ReplicaEngine<
  Replica extends EngineReplica & { observe: () => ReplicaObservation },
> {
  protected readonly clock: Clock;
  protected readonly logStore: LogStore;
  protected readonly replicas = new Map<string, Replica>();
  protected readonly starting = new Map<string, Promise<void>>();
  protected readonly replicaContext: EngineReplicaContext;
  readonly #log: (text: string) => void;
  readonly #listeners = new Set<() => void>();
  readonly #timer = setInterval(() => this.removeOldLogs(), removeLogsMs);

  constructor(options: ReplicaEngineOptions) {
    const { stateFolder, log, clock = systemClock, health = defaultHealth } = options;
    this.clock = clock;
    this.#log = log;
    this.logStore = new LogStore(stateFolder, clock);
    this.replicaContext = {
      ...{ clock, log, health, logStore: this.logStore },
      isBusy: options.isBusy ?? (() => false),
      onChange: () => this.notify(),
    };
  }

  protected abstract build(
    plan: RevisionPlan,
    log: (text: string) => void,
    signal: AbortSignal,
  ): Promise<void>;

  protected abstract start(request: ReplicaRequest): Promise<void>;

  /** Returns the log of a replica. */
  protected abstract placeOf(replica: Replica): LogPlace;

  async prepare(
    plan: RevisionPlan,
    log: (text: string) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const tell = (text: string) => {
      this.note(plan, "build", text);
      log(text);
    };
    try {
      await this.build(plan, tell, signal);
    } catch (error) {
      this.note(plan, "build", describeError(error));
      throw error;
    }
  }

  async startReplica(request: ReplicaRequest): Promise<void> {
    const { replica } = request;
    if (this.replicas.has(replica) && !this.starting.has(replica)) return;
    const underway = this.starting.get(replica) ?? this.start(request);
    this.starting.set(replica, underway);
    try {
      await underway;
    } finally {
      this.starting.delete(replica);
    }
  }

  async observe(): Promise<ReplicaObservation[]> {
    return [...this.replicas.values()].map((replica) => replica.observe());
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  record(of: Pick<RevisionPlan, "organisation" | "app" | "revision">, text: string): void {
    this.note(of, "control", text);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.allSettled(this.starting.values());
    for (const replica of this.replicas.values()) replica.close();
    this.logStore.close();
    this.#listeners.clear();
  }

  /** Forgets an exited replica. @returns undefined if it is unknown */
  protected drop(replica: string): Replica | undefined {
    const found = this.replicas.get(replica);
    if (found !== undefined && !found.hasExited) {
      throw new ProductError(cloudErrors.conflict, {
        message: `Replica ${replica} is still running`,
        hint: "Stop it first.",
      });
    }
    this.replicas.delete(replica);
    return found;
  }

  protected living(): Replica[] {
    return [...this.replicas.values()].filter(({ hasExited }) => !hasExited);
  }

  protected notify(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Adds a line to a log. A full disk must not end the control plane. */
  protected note(
    { organisation, app, revision }: Pick<RevisionPlan, "organisation" | "app" | "revision">,
    replica: "build" | "control",
    text: string,
  ): void {
    try {
      this.logStore.write({ organisation, app, revision, replica }, text);
    } catch (error) {
      this.#log(`cannot log "${text}": ${describeError(error)}`);
    }
  }

  protected removeOldLogs(): void {
    try {
      const files = this.living().map((replica) => this.logStore.fileOf(this.placeOf(replica)));
      this.logStore.removeOld(new Set(files));
    } catch (error) {
      this.#log(`cannot remove old logs: ${describeError(error)}`);
    }
  }
}
