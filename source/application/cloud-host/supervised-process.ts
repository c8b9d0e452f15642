// A supervised process of the server: started, or taken over from a supervisor that died.
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import path from "node:path";
import type { ServerProcess } from "../../cloud/admin/documents.ts";
import { readLock, type SupervisedRole } from "../../cloud/state/lock-file.ts";
import { isAlive, type ProcessIdentity } from "../../cloud/state/process-identity.ts";

export interface SupervisedOptions {
  role: SupervisedRole;
  stateFolder: string;
  /** Arguments for Node. */
  words: readonly string[];
  environment: NodeJS.ProcessEnv;
  /** Record of an earlier supervisor. */
  last: ServerProcess | undefined;
  onChange: () => void;
  onEnd: (end: ProcessEnd) => void;
}

export interface ProcessEnd {
  /** True if it ended on request. */
  isWanted: boolean;
  /** Undefined after a signal, and for a process that was taken over. */
  exitCode: number | undefined;
  /** True if it was ready before. */
  wasReady: boolean;
  /** Last lines of its standard error. */
  lastLines: string;
}

/** Sent by a supervised process that has started its work. */
export const readyMessage = "ready";

const pollMs = 100;
const lastBytes = 4096;

export class SupervisedProcess {
  readonly #options: SupervisedOptions;
  #identity: ProcessIdentity | undefined;
  #processId = 0;
  #restarts: number;
  #lastExit: string | undefined;
  isRunning = false;

  constructor(options: SupervisedOptions) {
    this.#options = options;
    this.#restarts = options.last?.restarts ?? 0;
    this.#lastExit = options.last?.lastExit;
  }

  get role(): SupervisedRole {
    return this.#options.role;
  }

  get document(): ServerProcess {
    return { pid: this.#processId, restarts: this.#restarts, lastExit: this.#lastExit };
  }

  /** Takes over the running process of the state folder. @returns false if none runs */
  takeOver(): boolean {
    const holder = readLock(this.#options.stateFolder, this.#options.role);
    if (holder === undefined || !isAlive(holder)) return false;
    this.#begin(holder.processId);
    this.#identity = holder;
    // Polls, as it is not a child of this process.
    const timer = setInterval(() => {
      if (isAlive(holder)) return;
      clearInterval(timer);
      this.#end({ code: undefined, how: "it ended", wasReady: true });
    }, pollMs);
    return true;
  }

  start(): void {
    const { words, environment, role } = this.#options;
    const errors = openSync(this.#errorFile, "w", 0o600);
    const child = spawn(process.execPath, [...words], {
      // A separate process group, so that the terminal's signals reach only the supervisor.
      detached: true,
      env: { ...environment, [roleVariable]: role },
      // No pipes, as they would break if the supervisor died.
      stdio: ["ignore", process.stderr, errors, "ipc"],
    });
    closeSync(errors);
    this.#begin(child.pid ?? 0);
    this.#follow(child);
  }

  restart(): void {
    this.#restarts += 1;
    this.start();
  }

  /** @returns false if it no longer runs */
  signal(signal: NodeJS.Signals): boolean {
    if (!this.isRunning) return false;
    if (this.#identity !== undefined && !isAlive(this.#identity)) return false;
    try {
      return process.kill(this.#processId, signal);
    } catch {
      return false; // it has just ended
    }
  }

  get #errorFile(): string {
    return path.join(this.#options.stateFolder, `${this.#options.role}.stderr`);
  }

  #begin(processId: number): void {
    this.#processId = processId;
    this.#identity = undefined;
    this.isRunning = true;
    this.#options.onChange();
  }

  #follow(child: ChildProcess): void {
    let wasReady = false;
    child.on("message", (message) => {
      wasReady ||= message === readyMessage;
    });
    child.once("error", (error) => {
      if (child.pid === undefined) this.#end({ code: 1, how: error.message, wasReady });
    });
    child.once("exit", (code, signal) => {
      const how = code === null ? `killed by ${signal}` : `exit code ${code}`;
      this.#end({ code: code ?? undefined, how, wasReady });
    });
  }

  #end({ code, how, wasReady }: { code: number | undefined; how: string; wasReady: boolean }) {
    const { role, stateFolder, onChange, onEnd } = this.#options;
    this.isRunning = false;
    const lastLines = readFileSync(this.#errorFile).subarray(-lastBytes).toString("utf8").trimEnd();
    this.#lastExit = lastLines === "" ? how : `${how}: ${lastLines.split("\n").at(-1)}`;
    onChange();
    // A process that ends on request removes its lock file.
    const isWanted = readLock(stateFolder, role) === undefined;
    onEnd({ isWanted, exitCode: code, wasReady, lastLines });
  }
}

/** Variable that tells a supervised process its role. */
const roleVariable = "DEPLOYCTL_ROLE";

/** Returns the role of this process; undefined outside a supervisor. */
export function supervisedRole(): SupervisedRole | undefined {
  const text = process.env[roleVariable];
  return text === "control-plane" || text === "gateway" ? text : undefined;
}
