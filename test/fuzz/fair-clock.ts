// Clock that slows down while other programs use the processor: a slow answer on a busy machine is not
// taken for a hang, and a missing one is still noticed.
import { readdirSync, readFileSync } from "node:fs";
import { cpus } from "node:os";

/** Tick of the times in /proc/PID/stat, see proc_pid_stat(5). */
const tickMs = 10;

interface Look {
  atMs: number;
  idleMs: number;
  ownMs: number;
}

export class FairClock {
  #before = look();
  #elapsedMs = 0;

  /**
   * Adds the time since the last call: all of it on an idle machine, half of it when other programs take
   * half of the processors.
   */
  elapsedMs(): number {
    const now = look();
    const { atMs, idleMs, ownMs } = this.#before;
    this.#before = now;
    const passedMs = now.atMs - atMs;
    const leftMs = (now.idleMs - idleMs + now.ownMs - ownMs) / cpus().length;
    this.#elapsedMs += process.platform === "linux" ? Math.min(passedMs, leftMs) : passedMs;
    return this.#elapsedMs;
  }
}

function look(): Look {
  const idleMs = cpus().reduce((sum, { times }) => sum + times.idle, 0);
  return { atMs: performance.now(), idleMs, ownMs: computedMs() };
}

/** Times of this process and its descendants, including ended ones. */
function computedMs(): number {
  if (process.platform !== "linux") return 0;
  const ticks = new Map<number, number>();
  const children = new Map<number, number[]>();
  for (const id of readdirSync("/proc").map(Number).filter(Number.isInteger)) {
    const fields = statOf(id);
    const parent = Number(fields[1]);
    ticks.set(
      id,
      fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0),
    );
    children.set(parent, [...(children.get(parent) ?? []), id]);
  }
  const sum = (id: number): number =>
    (children.get(id) ?? []).reduce((total, child) => total + sum(child), ticks.get(id) ?? 0);
  return sum(process.pid) * tickMs;
}

/** Returns the fields from the state on, as the name before it may contain anything. */
function statOf(id: number): string[] {
  try {
    const text = readFileSync(`/proc/${id}/stat`, "latin1");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return []; // it has exited
  }
}
