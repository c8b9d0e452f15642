// Engine that runs replicas as local processes, which outlive the control plane.
import { existsSync, mkdirSync, realpathSync } from "node:fs";
import type { Socket } from "node:net";
import path from "node:path";
import { ProductError } from "../../../base/product-error.ts";
import { cloudErrors } from "../../errors.ts";
import { pythonProgram } from "../../inspection/python-program.ts";
import type { Reservations } from "../../state/reservations.ts";
import type {
  Capacity,
  Engine,
  EngineNode,
  LogLine,
  LogQuery,
  ReplicaRequest,
  ReplicaShell,
  RevisionPlan,
  TerminalSize,
} from "../engine.ts";
import type { LogPlace } from "../logs/log-store.ts";
import { ReplicaEngine, type ReplicaEngineOptions } from "../replica-engine.ts";
import { type AdoptionRecord, AdoptionRecords } from "./adoption-record.ts";
import type { PrepareEnvironment } from "./environment.ts";
import { HostResources } from "./host-resources.ts";
import { createNonce, dropUnknown, endOrphans } from "./orphans.ts";
import { defaultPortRange, type PortRange } from "./port-pool.ts";
import type { EndOptions } from "./process-group.ts";
import { Replica, type ReplicaContext } from "./replica.ts";
import { connectToPort, openShell, readSurroundings, withoutProcess } from "./replica-shell.ts";
import { spawnReplica } from "./spawn-replica.ts";

export interface ProcessEngineOptions extends ReplicaEngineOptions {
  reservations: Reservations;
  prepareEnvironment: PrepareEnvironment;
  portRange?: PortRange;
  /** Time that an unknown process is left running. */
  orphanGraceMs?: number;
  /** Variables that replicas inherit, including the visible GPUs. */
  environment?: NodeJS.ProcessEnv;
}

const defaultOrphanGraceMs = 30_000;
/** Interval at which replicas' output is logged. */
const collectMs = 200;

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

class ProcessEngine extends ReplicaEngine<Replica> implements Engine {
  readonly kind = "process";
  readonly #options: ProcessEngineOptions;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #records: AdoptionRecords;
  readonly #resources: HostResources;
  readonly #context: ReplicaContext;
  readonly #closing = new AbortController();
  readonly #timer = setInterval(() => this.#collect(), collectMs);

  constructor(options: ProcessEngineOptions) {
    super(options);
    const { stateFolder, reservations, log } = options;
    // Nonces derive from the folder's name, which must not depend on the path used to reach it.
    this.#options = { ...options, stateFolder: realpathSync(stateFolder) };
    this.#environment = options.environment ?? process.env;
    this.#records = new AdoptionRecords(stateFolder);
    this.#resources = new HostResources({
      stateFolder,
      reservations,
      log,
      portRange: options.portRange ?? defaultPortRange,
      visibleGpus: this.#environment.CUDA_VISIBLE_DEVICES,
      now: () => this.clock.now(),
    });
    this.#context = { ...this.replicaContext, records: this.#records };
  }

  async stopReplica(replica: string, how: EndOptions): Promise<void> {
    // A replica that could not be started needs no stop; its start has reported why.
    await this.starting.get(replica)?.catch(() => {});
    await this.replicas.get(replica)?.stop(how);
  }

  async adopt(known: readonly string[]): Promise<void> {
    const wanted = new Set(known);
    const names = this.#records.list().filter((name) => !this.replicas.has(name));
    await Promise.all(
      names.map(async (name) => {
        const record = this.#records.read(name);
        if (record !== undefined && wanted.has(name)) await this.#adoptOne(record);
        else await dropUnknown(name, this.#records, this.#options.log);
      }),
    );
    this.#resources.releaseOthers(
      new Set([...this.replicas.keys(), ...this.starting.keys(), ...this.#records.list()]),
    );
    this.removeOldLogs();
    const { stateFolder, log, orphanGraceMs: graceMs = defaultOrphanGraceMs } = this.#options;
    const { signal } = this.#closing;
    void endOrphans({ stateFolder, records: this.#records, graceMs, log, signal });
  }

  async forget(replica: string): Promise<void> {
    this.drop(replica);
    this.#resources.release(replica);
    this.#records.remove(replica);
  }

  async capacity(plan: RevisionPlan): Promise<Capacity> {
    return await this.#resources.capacity(plan.config.hardware, this.#unmappedPortOf(plan));
  }

  nodes(): EngineNode[] {
    return [];
  }

  logs(query: LogQuery): AsyncIterable<LogLine> {
    this.#collect();
    return this.logStore.query(query);
  }

  async openShell(
    replica: string,
    terminal: TerminalSize & { type: string },
  ): Promise<ReplicaShell> {
    const found = this.#running(replica);
    const { processId } = found.observe();
    const surroundings = processId === undefined ? undefined : readSurroundings(processId);
    if (surroundings === undefined) throw withoutProcess(replica);
    const python = pythonProgram(this.#environment);
    return await openShell({ python, surroundings, terminal, replicaExited: found.exited });
  }

  async connect(replica: string, port: number): Promise<Socket> {
    const { record } = this.#running(replica);
    const own = record.ready?.port ?? record.port;
    const actual = port === record.exposedPort ? own : port;
    return await connectToPort(replica, port, actual);
  }

  #running(replica: string): Replica {
    const found = this.replicas.get(replica);
    if (found !== undefined && !found.hasExited) return found;
    throw withoutProcess(replica);
  }

  /** Nothing to remove: environments are shared by content, and logs outlive their revision. */
  async destroy(): Promise<void> {}

  override async close(): Promise<void> {
    this.#closing.abort();
    clearInterval(this.#timer);
    await super.close();
  }

  protected async build(
    plan: RevisionPlan,
    log: (text: string) => void,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#options.prepareEnvironment(plan, log, signal);
  }

  protected placeOf({ record }: Replica): LogPlace {
    return record;
  }

  protected async start(request: ReplicaRequest): Promise<void> {
    const earlier = this.#records.read(request.replica);
    if (earlier !== undefined) return await this.#adoptOne(earlier);
    const { plan } = request;
    const { hardware, exposedPort, healthPath, healthStatus, limits } = plan.config;
    const unmappedPort = this.#unmappedPortOf(plan);
    const reserved = await this.#resources.reserve(request.replica, hardware, unmappedPort);
    const record: AdoptionRecord = {
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
      startedAt: this.clock.wallMs(),
      warnings: [],
    };
    this.#records.write(record);
    const replica = new Replica(this.#context, record);
    this.replicas.set(record.replica, replica);
    this.notify();
    void replica.launch(async () => {
      const { python, variables } = await this.#options.prepareEnvironment(
        plan,
        (text) => this.note(plan, "build", text),
        this.#closing.signal,
      );
      const { nonce, port } = record;
      const gpus = this.#resources.visibleTo(hardware, reserved);
      const weightsFolder = this.#weightsFolder();
      const inherited = this.#environment;
      const options = { request, python, nonce, port, gpus, weightsFolder, inherited };
      return () =>
        spawnReplica({
          ...options,
          additions: variables,
          raw: this.#records.rawFilesOf(record.replica),
        });
    });
  }

  async #adoptOne(record: AdoptionRecord): Promise<void> {
    this.#resources.hold(record.replica, record);
    const replica = new Replica(this.#context, record);
    this.replicas.set(record.replica, replica);
    await replica.adopt();
  }

  #unmappedPortOf({ organisation, app }: RevisionPlan): number | undefined {
    const found = [...this.replicas.values()].find(
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

  #collect(): void {
    for (const replica of this.replicas.values()) replica.collect();
  }
}
