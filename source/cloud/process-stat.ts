// Process facts from /proc/PID/stat, and the machine's boot id.
import { readFileSync } from "node:fs";

/** Fields of /proc/PID/stat in use. */
export interface ProcessFacts {
  id: number;
  /** `R`, `S`, `Z`, … */
  state: string;
  group: number;
  session: number;
  /** Clock ticks since boot: together with the id, it identifies a process uniquely. */
  startTime: number;
}

let bootId: string | undefined;

/**
 * Returns the kernel's id of the current boot; no process outlives it.
 *
 * @returns undefined without /proc
 */
export function findBootId(): string | undefined {
  bootId ??= readText("/proc/sys/kernel/random/boot_id")?.trim();
  return bootId;
}

/** @returns undefined when the process does not exist, or /proc does not */
export function readProcess(id: number): ProcessFacts | undefined {
  const text = readText(`/proc/${id}/stat`);
  return text === undefined ? undefined : parseStat(text);
}

/**
 * Parses proc_pid_stat(5). The name in the second field may hold anything; the last parenthesis
 * ends it.
 */
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

/** Treats zombies as dead: process 1 may take a while to reap them. */
export function isLiving(facts: ProcessFacts | undefined): facts is ProcessFacts {
  return facts !== undefined && !"ZXx".includes(facts.state);
}

/** @returns undefined for a file that cannot be read */
export function readText(file: string): string | undefined {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return undefined; // the process has exited or belongs to another user, or this is not Linux
  }
}
