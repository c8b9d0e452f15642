// Ends everything that a replica has started, and knows when it is gone.
import { setTimeout as wait } from "node:timers/promises";
import { describeError, ProductError } from "../../../base/product-error.ts";
import { cloudErrors } from "../../errors.ts";
import { isLiving, type ProcessFacts, readProcess } from "../../process-stat.ts";
import { membersOf, type ProcessIdentity } from "./process-table.ts";

export interface EndOptions {
  signal: "terminate" | "kill";
  /** From SIGTERM to SIGKILL. */
  graceMs: number;
}

const pauseMs = 20;
/** A process that the kernel does not let go, such as one that waits for a broken device. */
const stuckMs = 30_000;
const killAgainMs = 500;

/**
 * Resolves when no process of the replica lives.
 *
 * @throws ProductError `CLOUD_REPLICA_STUCK` when SIGKILL does not end them
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
    message: `SIGKILL does not end process ${left.map(({ id }) => id).join(", ")}; the kernel holds it`,
    hint: "It often waits for a device or a network drive; restart the machine if it stays.",
  });
}

/**
 * The same by force and for ever: what does not end holds the GPU that the next one would get.
 *
 * @param onStuck told each time that it has not ended for long
 */
export async function endGroupAtLast(
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

/** The group in one call, so that nobody is born between; then those that have left it. */
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
    // ESRCH: it ended by itself meanwhile. EPERM (another user's) shows as one that does not end.
    if (!(error instanceof Error && "code" in error)) throw error;
  }
}

/** Looks at the known ones often, and at the whole machine when those have gone. */
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
