// How many cores this process may use without taking them from others.
import { existsSync, readFileSync } from "node:fs";
import os from "node:os";
import { setTimeout as wait } from "node:timers/promises";

export interface SpareCores {
  /** A number of cores; may be fractional. */
  count(): number;
  /** To be awaited when work begins after a rest; takes a few milliseconds at most. */
  lookAround(): Promise<void>;
}

/** What the measure is made of. */
export interface MachineReadings {
  cores: number;
  /** Milliseconds that all cores together had nothing to do. */
  idleMs(): number;
  /** Milliseconds that this process computed. */
  ownMs(): number;
  /** Threads of others at work at this moment, as far as one look can tell; undefined: unknown. */
  othersAtWork(): number | undefined;
  now(): number;
  wait(milliseconds: number): Promise<unknown>;
}

/** Long enough for the system's clock, which counts in hundredths of a second. */
const soonMs = 100;
const measureEveryMs = 500;
/** Whoever sent the request may be at work still for a moment. */
const looks = 4;

/** Idle cores plus the ones that this process uses itself, over the last half second or so. */
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
   * After a rest the measure tells of the time before, when others may have worked who are done by
   * now: a core that has nothing to do at this moment counts as spare until there is a newer measure.
   */
  async lookAround(): Promise<void> {
    const { cores } = this.#machine;
    if (this.#machine.now() - this.#last.at < 2 * measureEveryMs) return;
    let spare = this.#measure();
    this.#dueMs = soonMs;
    for (let look = 0; look < looks && spare < cores; look++) {
      if (look > 0) await this.#machine.wait(1);
      const others = this.#machine.othersAtWork();
      if (others === undefined) return;
      // Who is always at work is so at every look.
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

const loadFile = "/proc/loadavg";
const saysLoad = existsSync(loadFile);

const thisMachine: MachineReadings = {
  cores: os.availableParallelism(),
  idleMs: () => os.cpus().reduce((sum, cpu) => sum + cpu.times.idle, 0),
  ownMs: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
  // Linux alone tells.
  othersAtWork: () => {
    if (!saysLoad) return undefined;
    const running = /(\d+)\/\d+/.exec(readFileSync(loadFile, "utf8"))?.[1];
    if (running === undefined) return undefined;
    // The thread that asks is one of them, and the server that handed the request on may be another.
    return Math.max(0, Number(running) - 1 - (isParentAtWork() ? 1 : 0));
  },
  now: () => performance.now(),
  wait,
};

// Taken when the process starts, so that the first step knows whether the machine is busy.
const atStart = read(thisMachine);

function isParentAtWork(): boolean {
  try {
    const state = readFileSync(`/proc/${process.ppid}/stat`, "utf8");
    // The name, in brackets, may hold anything: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
    return state.slice(state.lastIndexOf(")")).startsWith(") R");
  } catch {
    return false; // it has ended
  }
}
