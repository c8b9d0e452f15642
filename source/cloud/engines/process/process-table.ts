// Process table, read from /proc, which identifies replicas that outlive their parent.
import { readdirSync } from "node:fs";
import { setImmediate as yieldToOthers } from "node:timers/promises";
import {
  findBootId,
  isLiving,
  type ProcessFacts,
  readProcess,
  readText,
} from "../../process-stat.ts";

/** Identity of a process that stays unique after its id is reused. */
export interface ProcessIdentity {
  /** Process id of the leader, which is also its group and session. */
  processId: number;
  startTime: number;
  bootId: string;
  /** Inherited by all its child processes through the environment. */
  nonce: string;
}

/** Name of the environment variable with the nonce. */
export const nonceVariable = "DEPLOYCTL_NONCE";

/** Processes read before yielding to other work. */
const batchSize = 64;

/** @throws Error without /proc, where replicas cannot run */
export function readBootId(): string {
  const bootId = findBootId();
  if (bootId === undefined) throw new Error("there is no /proc/sys/kernel/random/boot_id");
  return bootId;
}

/** @returns undefined when the process has none, or belongs to another user */
export function readNonce(id: number): string | undefined {
  const prefix = `${nonceVariable}=`;
  const entries = readText(`/proc/${id}/environ`)?.split("\0");
  return entries?.find((entry) => entry.startsWith(prefix))?.slice(prefix.length);
}

/** Returns all running processes, yielding to other work while reading. */
export async function readProcesses(): Promise<ProcessFacts[]> {
  const found: ProcessFacts[] = [];
  const ids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  for (const [index, id] of ids.entries()) {
    if (index % batchSize === batchSize - 1) await yieldToOthers();
    const facts = readProcess(Number(id));
    if (isLiving(facts)) found.push(facts);
  }
  return found;
}

/** Returns true while the leader runs. Accepts an unreadable or overwritten nonce. */
export function isLeaderAlive(identity: ProcessIdentity): boolean {
  if (identity.bootId !== readBootId() || !isStillThere(identity)) return false;
  const nonce = readNonce(identity.processId);
  return nonce === undefined || nonce === identity.nonce;
}

/** Returns true while a leader that was found running still runs. */
export function isStillThere({ processId, startTime }: ProcessIdentity): boolean {
  const facts = readProcess(processId);
  return isLiving(facts) && facts.startTime === startTime;
}

/** Finds the session leader with this nonce. */
export async function findLeader(nonce: string): Promise<ProcessFacts | undefined> {
  const processes = await readProcesses();
  return processes.find(({ id, session }) => id === session && readNonce(id) === nonce);
}

/** Returns processes of the leader's session or group: most of a replica's, and fast to read. */
export async function sessionOf(identity: ProcessIdentity): Promise<ProcessFacts[]> {
  return (await readProcesses()).filter((facts) => isInSession(facts, identity));
}

/**
 * Returns all running processes of a replica: those in the leader's session or group, and those
 * that left both but carry its nonce. Reads the environment of every process.
 */
export async function membersOf(identity: ProcessIdentity): Promise<ProcessFacts[]> {
  if (identity.bootId !== readBootId()) return [];
  return (await readProcesses()).filter((facts) => {
    if (facts.id === process.pid) return false;
    const nonce = readNonce(facts.id);
    return nonce === undefined ? isInSession(facts, identity) : nonce === identity.nonce;
  });
}

/**
 * The kernel reuses an id only when no session or group has it. A process with the leader's id and
 * another start time therefore proves that the old session is gone.
 */
function isInSession(
  { session, group }: ProcessFacts,
  { processId, startTime }: ProcessIdentity,
): boolean {
  if (session !== processId && group !== processId) return false;
  const leader = readProcess(processId);
  return leader === undefined || leader.startTime === startTime;
}
