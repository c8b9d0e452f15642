// Termination of all processes of a replica.
import { setTimeout as wait } from "node:timers/promises";
import { describeError, ProductError } from "../../../base/product-error.ts";
import { cloudErrors } from "../../errors.ts";
import { isLiving, type ProcessFacts, readProcess } from "../../process-stat.ts";
import { membersOf, type ProcessIdentity } from "./process-table.ts";

export interface EndOptions {
  signal: "terminate" | "kill";
  /** Time between SIGTERM and SIGKILL. */
  graceMs: number;
}

const pauseMs = 20;
/** Time after which a process counts as stuck in the kernel, for example on a broken device. */
const stuckMs = 30_000;
const killAgainMs = 500;

/**
 * Resolves when no process of the replica runs.
 *
 * @throws ProductError `CLOUD_REPLICA_STUCK` when SIGKILL has no effect
 */
export async function endGroup(
  identity: ProcessIdentity,
  { signal, graceMs }: EndOptions,
): Promise<void> {
  if (signal === "terminate") {
    sendTo(identity, await membersOf(identity), "SIGTERM");
    if (await isGoneWithin(identity, graceMs)) return;
  }
  const deadline = performance.now() + stuckMs;
  while (performance.now() < deadline) {
    sendTo(identity, await membersOf(identity), "SIGKILL");
    if (await isGoneWithin(identity, killAgainMs)) return;
  }
  const left = await membersOf(identity);
  throw new ProductError(cloudErrors.replicaStuck, {
    message: `Process ${left.map(({ id }) => id).join(", ")} did not exit after SIGKILL; it is stuck in the kernel`,
    hint: "It may be waiting for a device or a network drive. If it stays, restart the machine.",
  });
}

/**
 * Kills a group, retrying forever: a process that remains may hold a GPU that the next replica
 * needs.
 *
 * @param onStuck called each time that processes remain stuck
 */
export async function killGroup(
  identity: ProcessIdentity,
  onStuck: (sentence: string) => void,
): Promise<void> {
  while (true) {
    try {
      return await endGroup(identity, { signal: "kill", graceMs: 0 });
    } catch (error) {
      onStuck(describeError(error));
    }
  }
}

/**
 * Signals the group in one call, so that no new process escapes; then processes that left the
 * group.
 */
function sendTo(
  { processId }: ProcessIdentity,
  members: readonly ProcessFacts[],
  signal: "SIGTERM" | "SIGKILL",
): void {
  if (members.some(({ group }) => group === processId)) send(-processId, signal);
  for (const { id, group } of members) {
    if (group !== processId) send(id, signal);
  }
}

function send(target: number, signal: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(target, signal);
  } catch (error) {
    // ESRCH: the process has exited. EPERM (another user's process) shows up as a stuck one.
    if (!(error instanceof Error && "code" in error)) throw error;
  }
}

/** Polls known processes often, and scans the whole machine once they are gone. */
async function isGoneWithin(identity: ProcessIdentity, limitMs: number): Promise<boolean> {
  const deadline = performance.now() + limitMs;
  let members = await membersOf(identity);
  while (members.length > 0) {
    if (performance.now() >= deadline) return false;
    await wait(pauseMs);
    const left = members.filter(({ id, startTime }) => {
      const facts = readProcess(id);
      return isLiving(facts) && facts.startTime === startTime;
    });
    members = left.length > 0 ? left : await membersOf(identity);
  }
  return true;
}
