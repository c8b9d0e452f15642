// How many cores this process may use without taking them from others.
import { existsSync, readdirSync, readFileSync } from "node:fs";
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
  /** Milliseconds that this process computed, and the server that it belongs to. */
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
const looks = 6;

/**
 * Idle cores plus the ones that this process and its server use, over the last half second or so: what
 * the server does, it does for the requests that are computed here.
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
   * After a rest the measure tells of the time before, when others may have worked who are done by
   * now: a core that has nothing to do at this moment counts as spare until there is a newer measure.
   */
  async lookAround(): Promise<void> {
    const { cores } = this.#machine;
    if (this.#machine.now() - this.#last.at < soonMs) return;
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

/** Linux counts in hundredths of a second. */
const tickMs = 10;
const loadFile = "/proc/loadavg";
const saysLoad = existsSync(loadFile);

const thisMachine: MachineReadings = {
  cores: os.availableParallelism(),
  idleMs: () => os.cpus().reduce((sum, cpu) => sum + cpu.times.idle, 0),
  ownMs: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000 + serverMs();
  },
  // Linux alone tells.
  othersAtWork: () => {
    if (!saysLoad) return undefined;
    const running = /(\d+)\/\d+/.exec(readFileSync(loadFile, "utf8"))?.[1];
    // The thread that asks is one of them.
    return running === undefined ? undefined : Math.max(0, Number(running) - 1 - serverAtWork());
  },
  now: () => performance.now(),
  wait,
};

// Taken when the process starts, so that the first step knows whether the machine is busy.
const atStart = read(thisMachine);

/** What the server's threads have computed. */
function serverMs(): number {
  if (!saysLoad) return 0;
  const fields = processStat(`/proc/${process.ppid}`);
  // Of the fields behind the name, the 12th and 13th are its time in the program and in the system.
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * tickMs;
}

/** How many of the server's threads are at work at this moment. */
function serverAtWork(): number {
  const folder = `/proc/${process.ppid}/task`;
  try {
    return readdirSync(folder).filter((id) => processStat(`${folder}/${id}`)[0] === "R").length;
  } catch {
    return 0; // it has ended
  }
}

/** The fields behind the name, which may hold anything: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
function processStat(folder: string): string[] {
  try {
    const text = readFileSync(`${folder}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return []; // it has ended
  }
}
