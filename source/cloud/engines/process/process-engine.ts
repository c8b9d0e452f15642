// Engine that runs replicas as local processes, which outlive the control plane.
import { existsSync, mkdirSync, realpathSync } from "node:fs";
import path from "node:path";
import { type Clock, systemClock } from "../../../base/clock.ts";
import { describeError, ProductError } from "../../../base/product-error.ts";
import { cloudErrors } from "../../errors.ts";
import type {
  Capacity,
  Engine,
  EngineNode,
  LogLine,
  LogQuery,
  ReplicaObservation,
  ReplicaRequest,
  RevisionPlan,
} from "../engine.ts";
import { defaultHealth } from "../health-watch.ts";
import { LogStore } from "../logs/log-store.ts";
import { HostResources } from "./host-resources.ts";
import { createNonce, dropUnknown, endOrphans } from "./orphans.ts";
import { defaultPortRange } from "./port-pool.ts";
import type { ProcessEngineOptions } from "./process-engine-options.ts";
import type { EndOptions } from "./process-group.ts";
import { Replica, type ReplicaContext } from "./replica.ts";
import { type ReplicaRecord, ReplicaRecords } from "./replica-record.ts";
import { spawnRunner } from "./spawn-runner.ts";

const defaultOrphanGraceMs = 30_000;
/** Interval at which replicas' output is logged. */
const collectMs = 200;
const removeLogsMs = 3_600_000;
const plainName = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/**
 * Creates the engine; call `adopt` once, before anything else.
 *
 * @throws ProductError `CLOUD_PLATFORM_UNSUPPORTED` without /proc
 */
export function createProcessEngine(options: ProcessEngineOptions): Engine {
  if (!existsSync("/proc/self/stat")) {
    throw new ProductError(cloudErrors.platformUnsupported, {
      message: `Cannot run replicas on ${process.platform}: this system has no /proc`,
      hint: "Deploy to a Linux server with --profile.",
    });
  }
  return new ProcessEngine(options);
}

class ProcessEngine implements Engine {
  readonly kind = "process";
  readonly #options: ProcessEngineOptions;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #clock: Clock;
  readonly #records: ReplicaRecords;
  readonly #logStore: LogStore;
  readonly #resources: HostResources;
  readonly #context: ReplicaContext;
  readonly #replicas = new Map<string, Replica>();
  /** Replicas whose port is being reserved. */
  readonly #starting = new Map<string, Promise<void>>();
  readonly #listeners = new Set<() => void>();
  readonly #closing = new AbortController();
  readonly #timers: NodeJS.Timeout[];

  constructor(options: ProcessEngineOptions) {
    const { stateFolder, reservations, log, clock = systemClock } = options;
    // Nonces derive from the folder's name, which must not depend on the path used to reach it.
    this.#options = { ...options, stateFolder: realpathSync(stateFolder) };
    this.#environment = options.environment ?? process.env;
    this.#clock = clock;
    this.#records = new ReplicaRecords(stateFolder);
    this.#logStore = new LogStore(stateFolder, clock);
    this.#resources = new HostResources({
      stateFolder,
      reservations,
      log,
      portRange: options.portRange ?? defaultPortRange,
      visibleGpus: this.#environment.CUDA_VISIBLE_DEVICES,
      now: () => clock.now(),
    });
    this.#context = {
      clock,
      records: this.#records,
      logStore: this.#logStore,
      health: options.health ?? defaultHealth,
      isBusy: options.isBusy ?? (() => false),
      onChange: () => this.#notify(),
      log,
    };
    this.#timers = [
      setInterval(() => this.#collect(), collectMs),
      setInterval(() => this.#removeOldLogs(), removeLogsMs),
    ];
  }

  async prepare(
    plan: RevisionPlan,
    log: (text: string) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const tell = (text: string) => {
      this.#note(plan, "build", text);
      log(text);
    };
    try {
      await this.#options.prepareEnvironment(plan, tell, signal);
    } catch (error) {
      this.#note(plan, "build", describeError(error));
      throw error;
    }
  }

  async startReplica(request: ReplicaRequest): Promise<void> {
    const { replica } = request;
    if (!plainName.test(replica)) {
      throw new Error(`${JSON.stringify(replica)} cannot name a replica`);
    }
    if (this.#replicas.has(replica)) return;
    const underway = this.#starting.get(replica) ?? this.#start(request);
    this.#starting.set(replica, underway);
    try {
      await underway;
    } finally {
      this.#starting.delete(replica);
    }
  }

  async stopReplica(replica: string, how: EndOptions): Promise<void> {
    // A replica that could not be started needs no stop; its start has reported why.
    await this.#starting.get(replica)?.catch(() => {});
    await this.#replicas.get(replica)?.stop(how);
  }

  async observe(): Promise<ReplicaObservation[]> {
    return [...this.#replicas.values()].map((replica) => replica.observe());
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async adopt(known: readonly string[]): Promise<void> {
    const wanted = new Set(known);
    const names = this.#records.list().filter((name) => !this.#replicas.has(name));
    await Promise.all(
      names.map(async (name) => {
        const record = this.#records.read(name);
        if (record !== undefined && wanted.has(name)) await this.#adoptOne(record);
        else await dropUnknown(name, this.#records, this.#options.log);
      }),
    );
    this.#resources.releaseOthers(
      new Set([...this.#replicas.keys(), ...this.#starting.keys(), ...this.#records.list()]),
    );
    this.#removeOldLogs();
    const { stateFolder, log, orphanGraceMs: graceMs = defaultOrphanGraceMs } = this.#options;
    const { signal } = this.#closing;
    void endOrphans({ stateFolder, records: this.#records, graceMs, log, signal });
  }

  async forget(replica: string): Promise<void> {
    const found = this.#replicas.get(replica);
    if (found !== undefined && !found.hasExited) {
      throw new ProductError(cloudErrors.conflict, {
        message: `Replica ${replica} is still running`,
        hint: "Stop it first.",
      });
    }
    this.#replicas.delete(replica);
    this.#resources.release(replica);
    if (plainName.test(replica)) this.#records.remove(replica);
  }

  async capacity(plan: RevisionPlan): Promise<Capacity> {
    return await this.#resources.capacity(plan.config.hardware, this.#unmappedPortOf(plan));
  }

  nodes(): EngineNode[] {
    return [];
  }

  logs(query: LogQuery): AsyncIterable<LogLine> {
    this.#collect();
    return this.#logStore.query(query);
  }

  record(of: Pick<RevisionPlan, "organisation" | "app" | "revision">, text: string): void {
    this.#note(of, "control", text);
  }

  /** Nothing to remove: environments are shared by content, and logs outlive their revision. */
  async destroy(): Promise<void> {}

  async close(): Promise<void> {
    this.#closing.abort();
    for (const timer of this.#timers) clearInterval(timer);
    await Promise.allSettled(this.#starting.values());
    for (const replica of this.#replicas.values()) replica.close();
    this.#logStore.close();
    this.#listeners.clear();
  }

  async #start(request: ReplicaRequest): Promise<void> {
    const earlier = this.#records.read(request.replica);
    if (earlier !== undefined) return await this.#adoptOne(earlier);
    const { plan } = request;
    const { hardware, exposedPort, healthPath, healthStatus, limits } = plan.config;
    const unmappedPort = this.#unmappedPortOf(plan);
    const reserved = await this.#resources.reserve(request.replica, hardware, unmappedPort);
    const record: ReplicaRecord = {
      schema: 1,
      replica: request.replica,
      organisation: plan.organisation,
      app: plan.app,
      revision: plan.revision,
      nonce: createNonce(this.#options.stateFolder),
      ...reserved,
      exposedPort,
      healthPath,
      ...(healthStatus !== undefined && { healthStatus }),
      startupTimeoutMs: limits.startupTimeoutMs,
      startedAt: this.#clock.wallMs(),
      warnings: [],
    };
    this.#records.write(record);
    const replica = new Replica(this.#context, record);
    this.#replicas.set(record.replica, replica);
    this.#notify();
    void replica.launch(async () => {
      const { python, variables } = await this.#options.prepareEnvironment(
        plan,
        (text) => this.#note(plan, "build", text),
        this.#closing.signal,
      );
      const { nonce, port } = record;
      const gpus = this.#resources.visibleTo(hardware, reserved);
      const weightsFolder = this.#weightsFolder();
      const inherited = this.#environment;
      const options = { request, python, nonce, port, gpus, weightsFolder, inherited };
      return () => spawnRunner({ ...options, additions: variables, raw: replica.raw });
    });
  }

  async #adoptOne(record: ReplicaRecord): Promise<void> {
    this.#resources.hold(record.replica, record);
    const replica = new Replica(this.#context, record);
    this.#replicas.set(record.replica, replica);
    await replica.adopt();
  }

  #unmappedPortOf({ organisation, app }: RevisionPlan): number | undefined {
    const found = [...this.#replicas.values()].find(
      ({ hasExited, record }) =>
        !hasExited &&
        record.organisation === organisation &&
        record.app === app &&
        record.warnings.includes("port_not_remapped"),
    );
    return found?.record.ready?.port;
  }

  #weightsFolder(): string {
    const folder = path.join(this.#options.stateFolder, "volumes", "hf");
    if (!existsSync(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 });
    return folder;
  }

  /** A full disk must not end the control plane. */
  #note(
    { organisation, app, revision }: Pick<RevisionPlan, "organisation" | "app" | "revision">,
    replica: "build" | "control",
    text: string,
  ): void {
    try {
      this.#logStore.write({ organisation, app, revision, replica }, text);
    } catch (error) {
      this.#options.log(`cannot log "${text}": ${describeError(error)}`);
    }
  }

  #removeOldLogs(): void {
    const living = [...this.#replicas.values()].filter(({ hasExited }) => !hasExited);
    try {
      this.#logStore.removeOld(new Set(living.map(({ record }) => this.#logStore.fileOf(record))));
    } catch (error) {
      this.#options.log(`cannot remove old logs: ${describeError(error)}`);
    }
  }

  #collect(): void {
    for (const replica of this.#replicas.values()) replica.collect();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}
