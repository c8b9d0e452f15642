// Which process a process id means: ids are used again, a start time since this boot is not.
import { readFileSync } from "node:fs";

export interface ProcessIdentity {
  processId: number;
  /** Clock ticks since boot, field 22 of /proc/PID/stat; undefined where there is no /proc. */
  startTime: string | undefined;
  bootId: string | undefined;
}

export function identifyProcess(processId: number): ProcessIdentity {
  return { processId, startTime: readStat(processId)?.startTime, bootId: readBootId() };
}

/** Whether that very process lives. A zombie does not: it only waits to be reaped. */
export function isAlive(identity: ProcessIdentity): boolean {
  if (identity.bootId !== readBootId()) return false;
  const stat = readStat(identity.processId);
  if (identity.startTime === undefined) return answersSignal(identity.processId);
  return stat !== undefined && stat.state !== "Z" && stat.startTime === identity.startTime;
}

/** Without /proc, on macOS: the id is all there is to go by. */
function answersSignal(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** proc_pid_stat(5): the name, in parentheses, may hold anything; fields are counted after it. */
function readStat(processId: number): { state: string; startTime: string } | undefined {
  try {
    const text = readFileSync(`/proc/${processId}/stat`, "utf8");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const [state = ""] = fields;
    const startTime = fields[19];
    return startTime === undefined ? undefined : { state, startTime };
  } catch {
    return undefined; // no such process, or no /proc
  }
}

function readBootId(): string | undefined {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return undefined; // not Linux
  }
}
