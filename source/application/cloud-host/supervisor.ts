// Supervisor of deployctl's server: starts the gateway and the control plane, and restarts them.
import type { ServerProcess } from "../../cloud/admin/documents.ts";
import {
  type ProcessRole,
  readLock,
  type SupervisedRole,
  takeLock,
} from "../../cloud/state/lock-file.ts";
import { isAlive } from "../../cloud/state/process-identity.ts";
import { readLastProcesses, removeProcesses, writeProcesses } from "./server-processes.ts";
import { type ProcessEnd, SupervisedProcess } from "./supervised-process.ts";

export interface SupervisorOptions {
  stateFolder: string;
  /** Arguments for Node; a variable contains the role of the process. */
  words: readonly string[];
  /** Uptime after which an end does not count as a repeated failure. Defaults to 10 s. */
  stableMs?: number;
  log: (text: string) => void;
}

interface Supervised {
  process: SupervisedProcess;
  /** Monotonic. */
  startedAt: number;
  failures: number;
}

/** Limit on the delay of repeated restarts; the first is immediate. */
const longestBackOffMs = 30_000;
const usualStableMs = 10_000;
/** Time for the gateway to end after the control plane. */
const lastWaitMs = 5000;

export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #release: () => void;
  readonly #gateway: Supervised;
  readonly #controlPlane: Supervised;
  readonly #own: ServerProcess;
  readonly #ended = Promise.withResolvers<number>();
  #exitCode = 0;
  #isStopping = false;
  #killTimer: NodeJS.Timeout | undefined;

  /** @throws ProductError `CLOUD_ALREADY_RUNNING` if another supervisor runs */
  constructor(options: SupervisorOptions) {
    const { stateFolder } = options;
    this.#options = options;
    this.#release = takeLock(stateFolder, "supervisor");
    const isRunning = (["gateway", "control-plane"] as const)
      .flatMap((role) => readLock(stateFolder, role) ?? [])
      .some(isAlive);
    const last = isRunning ? readLastProcesses(stateFolder) : undefined;
    this.#own = {
      pid: process.pid,
      restarts: last === undefined ? 0 : last.supervisor.restarts + 1,
    };
    this.#gateway = this.#create("gateway", last?.gatewayProcess);
    this.#controlPlane = this.#create("control-plane", last?.controlPlane);
  }

  /**
   * Starts all processes, or takes over those that run.
   *
   * @returns exit code for this process: that of a process that could not start, else 0
   */
  async run(): Promise<number> {
    for (const supervised of [this.#gateway, this.#controlPlane]) {
      const { process: own } = supervised;
      supervised.startedAt = performance.now();
      if (own.takeOver()) this.#options.log(`took over the ${nameOf(own.role)}`);
      else own.start();
    }
    const exitCode = await this.#ended.promise;
    clearTimeout(this.#killTimer);
    removeProcesses(this.#options.stateFolder);
    this.#release();
    return exitCode;
  }

  /** Passes a signal to the control plane, which stops everything; a second one does not wait. */
  stop(signal: NodeJS.Signals): void {
    this.#isStopping = true;
    if (!this.#controlPlane.process.signal(signal)) this.#stopGateway();
  }

  #create(role: SupervisedRole, last: ServerProcess | undefined): Supervised {
    const { stateFolder, words } = this.#options;
    const supervised: Supervised = {
      process: new SupervisedProcess({
        ...{ role, stateFolder, words },
        environment: process.env,
        last,
        onChange: () => this.#write(),
        onEnd: (end) => this.#onEnd(supervised, end),
      }),
      ...{ startedAt: 0, failures: 0 },
    };
    return supervised;
  }

  #onEnd(supervised: Supervised, end: ProcessEnd): void {
    const { log } = this.#options;
    const { role, document } = supervised.process;
    const isControlPlane = role === "control-plane";
    if (end.lastLines !== "") process.stderr.write(`${end.lastLines}\n`);
    const isOver = isControlPlane && (end.isWanted || this.#isStopping);
    const isFirst = !end.wasReady && document.restarts === 0;
    if (isOver) {
      this.#isStopping = true;
    } else if (isFirst && end.exitCode !== undefined && !this.#isStopping) {
      // A server that cannot start at first is not restarted.
      this.#isStopping = true;
      this.#exitCode = end.exitCode;
      this.#controlPlane.process.signal("SIGTERM");
    } else if (!this.#isStopping && (isControlPlane || !end.isWanted)) {
      this.#restartLater(supervised);
      log(`the ${nameOf(role)} has ended (${document.lastExit}); restarting it`);
      return;
    }
    if (this.#isStopping && !this.#controlPlane.process.isRunning) this.#stopGateway();
  }

  #restartLater(supervised: Supervised): void {
    const ranMs = performance.now() - supervised.startedAt;
    const { stableMs = usualStableMs } = this.#options;
    const failures = ranMs > stableMs ? 0 : supervised.failures;
    supervised.failures = failures + 1;
    const waitMs = failures === 0 ? 0 : Math.min(longestBackOffMs, 250 * 2 ** failures);
    setTimeout(() => {
      if (this.#isStopping) return;
      supervised.startedAt = performance.now();
      supervised.process.restart();
    }, waitMs);
  }

  /** Ends the gateway, in case the control plane has not. */
  #stopGateway(): void {
    const { process: gateway } = this.#gateway;
    if (!gateway.isRunning) this.#ended.resolve(this.#exitCode);
    if (!gateway.isRunning || this.#killTimer !== undefined) return;
    gateway.signal("SIGTERM");
    this.#killTimer = setTimeout(() => gateway.signal("SIGKILL"), lastWaitMs);
  }

  #write(): void {
    writeProcesses(this.#options.stateFolder, {
      supervisor: this.#own,
      gatewayProcess: this.#gateway.process.document,
      controlPlane: this.#controlPlane.process.document,
    });
  }
}

function nameOf(role: ProcessRole): string {
  return role.replace("-", " ");
}
