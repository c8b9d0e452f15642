// Number of cores that this process may use without taking them from other programs.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import os from "node:os";
import { setTimeout as wait } from "node:timers/promises";

export interface SpareCores {
  /** A number of cores; may be fractional. */
  count(): number;
  /** Refreshes the count when work begins after a pause; takes a few milliseconds at most. */
  refresh(): Promise<void>;
}

/** Readings that the measurement is based on. */
export interface MachineReadings {
  cores: number;
  /** Idle milliseconds of all cores together. */
  idleMs(): number;
  /** CPU milliseconds of this process and its server. */
  ownMs(): number;
  /** Threads of other programs that run at this moment, as far as a sample can tell; undefined: unknown. */
  othersRunning(): number | undefined;
  now(): number;
  wait(milliseconds: number): Promise<unknown>;
}

/** Long enough for the system clock, which counts in hundredths of a second. */
const soonMs = 100;
const measureEveryMs = 500;
/** Number of samples: the sender of a request may still be busy for a moment. */
const samples = 6;

/**
 * Counts idle cores plus the ones that this process and its server use, over the last half second or
 * so: the server works for the requests that are computed here.
 */
export class MeasuredSpareCores implements SpareCores {
  readonly #machine: MachineReadings;
  #last: { idle: number; own: number; at: number };
  #dueMs = soonMs;
  #spare: number | undefined;

  constructor(machine: MachineReadings = thisMachine) {
    this.#machine = machine;
    this.#last = machine === thisMachine ? atStart : read(machine);
  }

  count(): number {
    const elapsed = this.#machine.now() - this.#last.at;
    if (elapsed >= this.#dueMs) this.#measure();
    return this.#spare ?? this.#machine.cores;
  }

  /**
   * After a pause the last measurement includes time when other programs may have been busy that are
   * done by now: a core that is idle at this moment counts as spare until the next measurement.
   */
  async refresh(): Promise<void> {
    const { cores } = this.#machine;
    if (this.#machine.now() - this.#last.at < soonMs) return;
    let spare = this.#measure();
    this.#dueMs = soonMs;
    for (let sample = 0; sample < samples && spare < cores; sample++) {
      if (sample > 0) await this.#machine.wait(1);
      const others = this.#machine.othersRunning();
      if (others === undefined) return;
      // Threads that are always busy show up in every sample.
      spare = Math.max(spare, cores - others);
      this.#spare = spare;
    }
  }

  #measure(): number {
    const { idle, own, at } = read(this.#machine);
    const spare = (idle - this.#last.idle + own - this.#last.own) / (at - this.#last.at);
    this.#last = { idle, own, at };
    this.#dueMs = measureEveryMs;
    this.#spare = spare;
    return spare;
  }
}

function read(machine: MachineReadings): { idle: number; own: number; at: number } {
  return { idle: machine.idleMs(), own: machine.ownMs(), at: machine.now() };
}

/** Linux counts in hundredths of a second. */
const tickMs = 10;
const loadFile = "/proc/loadavg";
const hasLoadFile = existsSync(loadFile);

const thisMachine: MachineReadings = {
  cores: os.availableParallelism(),
  idleMs: () => os.cpus().reduce((sum, cpu) => sum + cpu.times.idle, 0),
  ownMs: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000 + serverMs();
  },
  // Only Linux reports this.
  othersRunning: () => {
    if (!hasLoadFile) return undefined;
    const running = /(\d+)\/\d+/.exec(readFileSync(loadFile, "utf8"))?.[1];
    // The calling thread is one of them.
    return running === undefined ? undefined : Math.max(0, Number(running) - 1 - serverRunning());
  },
  now: () => performance.now(),
  wait,
};

// Read when the process starts, so that the first step knows if the machine is busy.
const atStart = read(thisMachine);

/** CPU milliseconds of the server's threads. */
function serverMs(): number {
  if (!hasLoadFile) return 0;
  const fields = processStat(`/proc/${process.ppid}`);
  // The 12th and 13th field after the name are user and system time.
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * tickMs;
}

/** Counts the server's threads that run at this moment. */
function serverRunning(): number {
  const folder = `/proc/${process.ppid}/task`;
  try {
    return readdirSync(folder).filter((id) => processStat(`${folder}/${id}`)[0] === "R").length;
  } catch {
    return 0; // the server has ended
  }
}

/** Returns the fields after the name, which may contain anything: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
function processStat(folder: string): string[] {
  try {
    const text = readFileSync(`${folder}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return []; // the process has ended
  }
}
