// What an earlier control plane has left and nobody knows: replicas without a place in the store, and
// processes without a record.
import { createHash, randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { describeError } from "../../../base/product-error.ts";
import { readProcess } from "../../process-stat.ts";
import { endGroup } from "./process-group.ts";
import { readNonce, readProcesses } from "./process-table.ts";
import type { ReplicaRecords } from "./replica-record.ts";

export interface OrphanOptions {
  stateFolder: string;
  /** Read again before anything is ended. */
  records: ReplicaRecords;
  /** Between the first look and the end. */
  graceMs: number;
  log: (text: string) => void;
  signal: AbortSignal;
}

const unknownReplicaGraceMs = 5_000;

/** A nonce tells which state folder it belongs to: others on this machine are left alone. */
export function drawNonce(stateFolder: string): string {
  return `${nonceBeginning(stateFolder)}${randomUUID()}`;
}

function nonceBeginning(stateFolder: string): string {
  return `${createHash("sha256").update(stateFolder).digest("hex").slice(0, 16)}.`;
}

/** Ends a replica that the store does not know, and removes its record, or one that nobody can read. */
export async function dropUnknown(
  replica: string,
  records: ReplicaRecords,
  log: (text: string) => void,
): Promise<void> {
  const record = records.read(replica);
  if (record?.process !== undefined) {
    const { id: processId, startTime, bootId } = record.process;
    const identity = { processId, startTime, bootId, nonce: record.nonce };
    log(`replica ${replica} is not known any more; it is ended`);
    try {
      await endGroup(identity, { signal: "terminate", graceMs: unknownReplicaGraceMs });
    } catch (error) {
      log(describeError(error)); // its record stays, and so does what it holds
      return;
    }
  }
  records.remove(replica);
}

/** Resolves when those that were seen have been ended, or have turned out to be known. */
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
      log(`process ${id} belongs to a replica that nobody knows; it is ended`);
      process.kill(id, "SIGKILL");
    }
  } catch (error) {
    log(`not all orphans are ended: ${describeError(error)}`);
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

function noncesOf(records: ReplicaRecords): Set<string> {
  return new Set(records.list().flatMap((name) => records.read(name)?.nonce ?? []));
}
