// Orphans of an earlier control plane: replicas missing from the store, and processes without a
// record.
import { createHash, randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { describeError } from "../../../base/product-error.ts";
import { readProcess } from "../../process-stat.ts";
import { type AdoptionRecords, identityOf } from "./adoption-record.ts";
import { endGroup } from "./process-group.ts";
import { readNonce, readProcesses } from "./process-table.ts";

export interface OrphanOptions {
  stateFolder: string;
  /** Read again before anything is killed. */
  records: AdoptionRecords;
  /** Delay between finding an orphan and killing it. */
  graceMs: number;
  log: (text: string) => void;
  signal: AbortSignal;
}

const unknownReplicaGraceMs = 5_000;

/**
 * Returns a nonce that names its state folder, so that processes of other servers are left alone.
 */
export function createNonce(stateFolder: string): string {
  return `${nonceBeginning(stateFolder)}${randomUUID()}`;
}

function nonceBeginning(stateFolder: string): string {
  return `${createHash("sha256").update(stateFolder).digest("hex").slice(0, 16)}.`;
}

/**
 * Stops a replica that the store does not know and removes its record; also removes unreadable
 * records.
 */
export async function dropUnknown(
  replica: string,
  records: AdoptionRecords,
  log: (text: string) => void,
): Promise<void> {
  const record = records.read(replica);
  const identity = record && identityOf(record);
  if (identity !== undefined) {
    log(`stopping replica ${replica}, which is missing from the store`);
    try {
      await endGroup(identity, { signal: "terminate", graceMs: unknownReplicaGraceMs });
    } catch (error) {
      log(describeError(error)); // its record and reservations stay
      return;
    }
  }
  records.remove(replica);
}

/** Resolves when all orphans found are killed or turned out to be known. */
export async function endOrphans(options: OrphanOptions): Promise<void> {
  const { records, graceMs, log, signal } = options;
  try {
    const suspects = await findUnknown(options);
    if (suspects.length === 0) return;
    // An abort ends the wait.
    await wait(graceMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    const known = noncesOf(records);
    for (const { id, startTime, nonce } of suspects) {
      if (known.has(nonce) || readProcess(id)?.startTime !== startTime) continue;
      log(`killing process ${id}, which belongs to an unknown replica`);
      process.kill(id, "SIGKILL");
    }
  } catch (error) {
    log(`cannot kill all orphaned processes: ${describeError(error)}`);
  }
}

async function findUnknown({
  stateFolder,
  records,
}: OrphanOptions): Promise<{ id: number; startTime: number; nonce: string }[]> {
  const beginning = nonceBeginning(stateFolder);
  const known = noncesOf(records);
  return (await readProcesses()).flatMap(({ id, startTime }) => {
    if (id === process.pid) return [];
    const nonce = readNonce(id);
    return nonce?.startsWith(beginning) && !known.has(nonce) ? [{ id, startTime, nonce }] : [];
  });
}

function noncesOf(records: AdoptionRecords): Set<string> {
  return new Set(records.list().flatMap((name) => records.read(name)?.nonce ?? []));
}
