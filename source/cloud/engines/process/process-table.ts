// Which processes there are, as /proc tells: what is known of replicas that outlive their parent.
import { readdirSync, readFileSync } from "node:fs";
import { setImmediate as yieldToOthers } from "node:timers/promises";
import { findBootId, isLiving, type ProcessFacts, readProcess } from "../../process-stat.ts";

/** What tells one process from every other, also after its id has been given away again. */
export interface ProcessIdentity {
  /** Of the leader; the same number is its group and its session. */
  processId: number;
  startTime: number;
  bootId: string;
  /** Also in the environment of everything that it starts. */
  nonce: string;
}

/** The variable that holds the nonce. */
export const nonceVariable = "DEPLOYCTL_NONCE";

/** How many processes are read before others get a turn. */
const batchSize = 64;

/** @throws Error where there is no /proc: no replica is started there */
export function readBootId(): string {
  const bootId = findBootId();
  if (bootId === undefined) throw new Error("there is no /proc/sys/kernel/random/boot_id");
  return bootId;
}

/** @returns undefined when it has none, or is somebody else's */
export function readNonce(id: number): string | undefined {
  const prefix = `${nonceVariable}=`;
  const entries = readEnvironment(id)?.split("\0");
  return entries?.find((entry) => entry.startsWith(prefix))?.slice(prefix.length);
}

/** All living processes; reading them takes turns with other work. */
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

/** Whether the leader itself lives. A nonce that cannot be read, or was written over, is no objection. */
export function isLeaderAlive(identity: ProcessIdentity): boolean {
  if (identity.bootId !== readBootId() || !isStillThere(identity)) return false;
  const nonce = readNonce(identity.processId);
  return nonce === undefined || nonce === identity.nonce;
}

/** Whether a leader that was found alive lives on. */
export function isStillThere({ processId, startTime }: ProcessIdentity): boolean {
  const facts = readProcess(processId);
  return isLiving(facts) && facts.startTime === startTime;
}

/** The process that leads a session and carries this nonce. */
export async function findLeader(nonce: string): Promise<ProcessFacts | undefined> {
  const processes = await readProcesses();
  return processes.find(({ id, session }) => id === session && readNonce(id) === nonce);
}

/** Living processes of the leader's session or group: most or all of a replica's, and quickly read. */
export async function sessionOf(identity: ProcessIdentity): Promise<ProcessFacts[]> {
  return (await readProcesses()).filter((facts) => isInSession(facts, identity));
}

/**
 * Every living process of a replica: of the leader's session or group, and those that left both but
 * carry its nonce. Reads the environment of all processes that there are.
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
 * The kernel gives a number away again only when no session and no group has it. So a process with
 * the leader's number and another start proves that nothing of the old session is left.
 */
function isInSession(
  { session, group }: ProcessFacts,
  { processId, startTime }: ProcessIdentity,
): boolean {
  if (session !== processId && group !== processId) return false;
  const leader = readProcess(processId);
  return leader === undefined || leader.startTime === startTime;
}

function readEnvironment(id: number): string | undefined {
  try {
    return readFileSync(`/proc/${id}/environ`, "latin1");
  } catch {
    return undefined; // it has ended meanwhile, or belongs to another user
  }
}
