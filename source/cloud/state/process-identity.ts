// Identity of a process: ids are reused, but not together with their start time and boot.
import { systemCode } from "../../base/write-refusal.ts";
import { findBootId, isLiving, readProcess } from "../process-stat.ts";

export interface ProcessIdentity {
  processId: number;
  /** Clock ticks since boot; undefined without /proc. */
  startTime: string | undefined;
  bootId: string | undefined;
}

export function identifyProcess(processId: number): ProcessIdentity {
  return { processId, startTime: startTimeOf(processId), bootId: findBootId() };
}

/**
 * Returns true while this very process runs. A zombie does not count: it only waits to be reaped.
 */
export function isAlive({ processId, startTime, bootId }: ProcessIdentity): boolean {
  if (bootId !== findBootId()) return false;
  if (startTime === undefined) return answersSignal(processId);
  return isLiving(readProcess(processId)) && startTimeOf(processId) === startTime;
}

function startTimeOf(processId: number): string | undefined {
  const facts = readProcess(processId);
  return facts === undefined ? undefined : String(facts.startTime);
}

/** Checks only the id, on systems without /proc (macOS). */
function answersSignal(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return systemCode(error) === "EPERM";
  }
}
