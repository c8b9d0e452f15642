// Meter of the processor time that other programs use, because they distort measurements.

import { readdirSync, readFileSync } from "node:fs";
import { cpus } from "node:os";

/** Returns the average number of cores that other programs used since the meter was created. */
export type LoadMeter = () => number;

/** Tick of the processor times in /proc, the same for every kernel. */
const tickMs = 10;

/** The named process groups and this process are not "other programs". Without /proc all are 0. */
export function startLoadMeter(processGroups: readonly number[]): LoadMeter {
  const before = readTimes(processGroups);
  return () => {
    const after = readTimes(processGroups);
    if (!before || !after) return 0;
    const foreignMs = after.busyMs - before.busyMs - (after.ownMs - before.ownMs);
    return Math.max(0, foreignMs / (after.atMs - before.atMs));
  };
}

interface Times {
  atMs: number;
  busyMs: number;
  ownMs: number;
}

function readTimes(processGroups: readonly number[]): Times | undefined {
  const groupsMs = readGroupTimes(new Set(processGroups));
  if (groupsMs === undefined) return undefined;
  const { user, system } = process.cpuUsage();
  const busyMs = cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys, 0);
  return { atMs: performance.now(), busyMs, ownMs: groupsMs + (user + system) / 1000 };
}

/** Returns the processor milliseconds of process groups so far; undefined without /proc. */
export function processorMsOf(processGroups: readonly number[]): number | undefined {
  return readGroupTimes(new Set(processGroups));
}

/** Fields of /proc/PID/stat: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
function readGroupTimes(processGroups: ReadonlySet<number>): number | undefined {
  let ticks = 0;
  try {
    for (const name of readdirSync("/proc")) {
      if (/^\d+$/.test(name)) ticks += readTicks(name, processGroups);
    }
  } catch {
    return undefined;
  }
  return ticks * tickMs;
}

function readTicks(name: string, processGroups: ReadonlySet<number>): number {
  try {
    const text = readFileSync(`/proc/${name}/stat`, "utf8");
    // Counts fields from the last bracket, as the name before it may contain anything.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    if (!processGroups.has(Number(fields[2]))) return 0;
    // User and system time of the process and of its ended children.
    return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  } catch {
    // It has exited since the folder was read.
    return 0;
  }
}
