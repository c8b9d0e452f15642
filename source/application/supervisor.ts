// Supervisor of deployctl's server: starts the gateway and the control plane, and restarts them.
import type { ServerProcess } from "../cloud/admin/documents.ts";
import { readLock, takeLock } from "../cloud/state/lock-file.ts";
import { isAlive } from "../cloud/state/process-identity.ts";
import { readLastProcesses, removeProcesses, writeProcesses } from "./server-processes.ts";
import { type ProcessEnd, SupervisedProcess } from "./supervised-process.ts";

export interface SupervisorOptions {
  stateFolder: string;
  /** Arguments for Node that start either process; a variable tells it its role. */
  words: readonly string[];
  log: (text: string) => void;
}

const roles = ["gateway", "control-plane"] as const;
type Role = (typeof roles)[number];

/** Waits before restarts in a row: the first is immediate. */
const longestBackOffMs = 30_000;
/** Time after which a process counts as healthy again. */
const stableMs = 60_000;
/** Time for the gateway to end after the control plane. */
const lastWaitMs = 5000;

export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #release: () => void;
  readonly #processes: Readonly<Record<Role, SupervisedProcess>>;
  readonly #startedAt: Record<Role, number> = { "control-plane": 0, gateway: 0 };
  readonly #failures: Record<Role, number> = { "control-plane": 0, gateway: 0 };
  readonly #own: ServerProcess;
  readonly #ended = Promise.withResolvers<number>();
  #exitCode = 0;
  #isStopping = false;
  #killTimer: NodeJS.Timeout | undefined;

  /** @throws ProductError `CLOUD_ALREADY_RUNNING` when another supervisor runs */
  constructor(options: SupervisorOptions) {
    const { stateFolder } = options;
    this.#options = options;
    this.#release = takeLock(stateFolder, "supervisor");
    const last = isRunning(stateFolder) ? readLastProcesses(stateFolder) : undefined;
    this.#own = {
      pid: process.pid,
      restarts: last === undefined ? 0 : last.supervisor.restarts + 1,
    };
    this.#processes = {
      "control-plane": this.#create("control-plane", last?.controlPlane),
      gateway: this.#create("gateway", last?.gateways[0]),
    };
  }

  /**
   * Starts both processes, or adopts running ones.
   *
   * @returns exit code of this process: that of a process that could not start, otherwise 0
   */
  async run(): Promise<number> {
    for (const role of roles) {
      this.#startedAt[role] = performance.now();
      if (this.#processes[role].takeOver()) this.#options.log(`took over the ${nameOf(role)}`);
      else this.#processes[role].start();
    }
    const exitCode = await this.#ended.promise;
    clearTimeout(this.#killTimer);
    removeProcesses(this.#options.stateFolder);
    this.#release();
    return exitCode;
  }

  /** Passes a signal to the control plane, which stops everything; a second one does so faster. */
  stop(signal: NodeJS.Signals): void {
    this.#isStopping = true;
    if (!this.#processes["control-plane"].signal(signal)) this.#stopGateway();
  }

  #create(role: Role, last: ServerProcess | undefined): SupervisedProcess {
    const { stateFolder, words } = this.#options;
    return new SupervisedProcess({
      ...{ role, stateFolder, words },
      environment: process.env,
      last,
      onChange: () => this.#write(),
      onEnd: (end) => this.#onEnd(role, end),
    });
  }

  #onEnd(role: Role, end: ProcessEnd): void {
    const { log } = this.#options;
    if (end.lastLines !== "") process.stderr.write(`${end.lastLines}\n`);
    const isOver = role === "control-plane" && (end.isWanted || this.#isStopping);
    const isFirst = !end.wasReady && this.#processes[role].document.restarts === 0;
    if (isOver) {
      this.#isStopping = true;
    } else if (isFirst && end.exitCode !== undefined && !this.#isStopping) {
      // A server that cannot start tells its starter instead of trying again.
      this.#isStopping = true;
      this.#exitCode = end.exitCode;
      this.#processes["control-plane"].signal("SIGTERM");
    } else if (!this.#isStopping && !(role === "gateway" && end.isWanted)) {
      this.#restartLater(role);
      log(
        `the ${nameOf(role)} has ended (${this.#processes[role].document.lastExit}); restarting it`,
      );
      return;
    }
    if (this.#isStopping && !this.#processes["control-plane"].isRunning) this.#stopGateway();
  }

  #restartLater(role: Role): void {
    const ranMs = performance.now() - this.#startedAt[role];
    const failures = ranMs > stableMs ? 0 : this.#failures[role];
    this.#failures[role] = failures + 1;
    const waitMs = failures === 0 ? 0 : Math.min(longestBackOffMs, 250 * 2 ** failures);
    setTimeout(() => {
      if (this.#isStopping) return;
      this.#startedAt[role] = performance.now();
      this.#processes[role].restart();
    }, waitMs);
  }

  /** Ends the gateway, which the control plane has usually stopped before it ended itself. */
  #stopGateway(): void {
    const { gateway } = this.#processes;
    if (!gateway.isRunning) this.#ended.resolve(this.#exitCode);
    if (!gateway.isRunning || this.#killTimer !== undefined) return;
    gateway.signal("SIGTERM");
    this.#killTimer = setTimeout(() => gateway.signal("SIGKILL"), lastWaitMs);
  }

  #write(): void {
    const { gateway, "control-plane": controlPlane } = this.#processes;
    writeProcesses(this.#options.stateFolder, {
      supervisor: this.#own,
      gateways: [gateway.document],
      controlPlane: controlPlane.document,
    });
  }
}

/** True when processes of an earlier supervisor run. */
function isRunning(stateFolder: string): boolean {
  const holders = roles.flatMap((role) => readLock(stateFolder, role) ?? []);
  return holders.some(isAlive);
}

function nameOf(role: Role): string {
  return role.replace("-", " ");
}
