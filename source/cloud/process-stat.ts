// What the kernel tells of one process in /proc/PID/stat, and of this start of the machine.
import { readFileSync } from "node:fs";

/** One line of /proc/PID/stat, as far as it matters here. */
export interface ProcessFacts {
  id: number;
  /** `R`, `S`, `Z`, … */
  state: string;
  group: number;
  session: number;
  /** Clock ticks since the machine's start: with the id, it names a process for ever. */
  startTime: number;
}

let bootId: string | undefined;

/**
 * The kernel's name for the time since the last start of the machine: no process sees two.
 *
 * @returns undefined where there is no /proc
 */
export function findBootId(): string | undefined {
  bootId ??= readText("/proc/sys/kernel/random/boot_id")?.trim();
  return bootId;
}

/** @returns undefined when there is no such process, or no /proc */
export function readProcess(id: number): ProcessFacts | undefined {
  const text = readText(`/proc/${id}/stat`);
  return text === undefined ? undefined : parseStat(text);
}

/** proc_pid_stat(5): the name in the second field may hold anything; the last parenthesis ends it. */
export function parseStat(text: string): ProcessFacts | undefined {
  const end = text.lastIndexOf(")");
  const fields = text.slice(end + 2).split(" ");
  const facts = {
    id: Number.parseInt(text, 10),
    state: fields[0] ?? "",
    group: Number(fields[2]),
    session: Number(fields[3]),
    startTime: Number(fields[19]),
  };
  return end > 0 && Number.isInteger(facts.startTime) ? facts : undefined;
}

/** A zombie is dead: process 1 may take its time to reap it. */
export function isLiving(facts: ProcessFacts | undefined): facts is ProcessFacts {
  return facts !== undefined && !"ZXx".includes(facts.state);
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return undefined; // it has ended meanwhile, or this is not Linux
  }
}
