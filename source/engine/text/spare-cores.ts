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

/** Long enough for the system's clock, which counts in hundredths of a second. */
const soonMs = 100;
const measureEveryMs = 500;
/** Whoever sent the request may be at work still for a moment. */
const looks = 4;

// Taken when the process starts, so that the first step knows whether the machine is busy.
const atStart = { idle: idleMs(), own: process.cpuUsage(), at: performance.now() };

/** Idle cores plus the ones that this process uses itself, over the last half second or so. */
export class MeasuredSpareCores implements SpareCores {
  #last = atStart;
  #dueMs = soonMs;
  #spare: number | undefined;

  count(): number {
    const elapsed = performance.now() - this.#last.at;
    if (elapsed >= this.#dueMs) this.#measure(elapsed);
    return this.#spare ?? os.availableParallelism();
  }

  /**
   * After a rest the measure tells of the time before, when others may have worked who are done by
   * now: a core that has nothing to do at this moment counts as spare until there is a newer measure.
   */
  async lookAround(): Promise<void> {
    const elapsed = performance.now() - this.#last.at;
    if (elapsed < 2 * measureEveryMs) return;
    const spare = this.#measure(elapsed);
    this.#dueMs = soonMs;
    for (let look = 0; look < looks; look++) {
      const unused = unusedCores();
      if (unused === undefined) return;
      this.#spare = Math.max(spare, unused);
      if (this.#spare >= os.availableParallelism()) return;
      await wait(1);
    }
  }

  #measure(elapsed: number): number {
    const idle = idleMs();
    const used = process.cpuUsage(this.#last.own);
    const spare = (idle - this.#last.idle + (used.user + used.system) / 1000) / elapsed;
    this.#last = { idle, own: process.cpuUsage(), at: performance.now() };
    this.#dueMs = measureEveryMs;
    this.#spare = spare;
    return spare;
  }
}

function idleMs(): number {
  return os.cpus().reduce((sum, cpu) => sum + cpu.times.idle, 0);
}

const loadFile = "/proc/loadavg";
const saysLoad = existsSync(loadFile);

/** Cores without work at this moment, as far as one look can tell; Linux alone says. */
function unusedCores(): number | undefined {
  if (!saysLoad) return undefined;
  const running = /(\d+)\/\d+/.exec(readFileSync(loadFile, "utf8"))?.[1];
  // The thread that asks is one of them.
  return running === undefined ? undefined : os.availableParallelism() - (Number(running) - 1);
}
