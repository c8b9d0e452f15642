// Processes that carry a nonce of ours and that no record knows: they are ended, after a while.
import { createHash, randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { readNonce, readProcess, readProcesses } from "./process-table.ts";

export interface OrphanOptions {
  stateFolder: string;
  /** Nonces of all records there are, asked again before anything is ended. */
  knownNonces: () => Set<string>;
  /** Between the first look and the end. */
  graceMs: number;
  log: (text: string) => void;
  signal: AbortSignal;
}

/** A nonce tells which state folder it belongs to: others on this machine are left alone. */
export function drawNonce(stateFolder: string): string {
  return `${nonceBeginning(stateFolder)}${randomUUID()}`;
}

function nonceBeginning(stateFolder: string): string {
  return `${createHash("sha256").update(stateFolder).digest("hex").slice(0, 16)}.`;
}

/** Resolves when those that were seen have been ended, or have turned out to be known. */
export async function endOrphans(options: OrphanOptions): Promise<void> {
  const { graceMs, log, signal } = options;
  const suspects = await findUnknown(options);
  if (suspects.length === 0) return;
  // An abort ends the wait.
  await wait(graceMs, undefined, { signal }).catch(() => {});
  if (signal.aborted) return;
  const known = options.knownNonces();
  for (const { id, startTime, nonce } of suspects) {
    if (known.has(nonce) || readProcess(id)?.startTime !== startTime) continue;
    log(`process ${id} belongs to a replica that nobody knows; it is ended`);
    try {
      process.kill(id, "SIGKILL");
    } catch (error) {
      log(`process ${id} cannot be ended: ${error instanceof Error ? error.message : error}`);
    }
  }
}

async function findUnknown({
  stateFolder,
  knownNonces,
}: OrphanOptions): Promise<{ id: number; startTime: number; nonce: string }[]> {
  const beginning = nonceBeginning(stateFolder);
  const known = knownNonces();
  return (await readProcesses()).flatMap(({ id, startTime }) => {
    if (id === process.pid) return [];
    const nonce = readNonce(id);
    return nonce?.startsWith(beginning) && !known.has(nonce) ? [{ id, startTime, nonce }] : [];
  });
}
