// Choice of a replica for a request, among those with capacity.
import { crc32 } from "node:zlib";

export interface Candidate {
  replica: string;
  inFlight: number;
  lastUsedAt: number | undefined;
}

/** Load relative to the average above which affinity falls back to another replica. */
const overflow = 1.25;

/**
 * Returns the replica with the fewest requests; on a tie the one used last, so that others go idle.
 *
 * @param candidates replicas with capacity
 */
export function chooseLeastBusy<T extends Candidate>(candidates: readonly T[]): T | undefined {
  let best: T | undefined;
  for (const candidate of candidates) {
    if (best === undefined || isBetter(candidate, best)) best = candidate;
  }
  return best;
}

function isBetter(one: Candidate, other: Candidate): boolean {
  if (one.inFlight !== other.inFlight) return one.inFlight < other.inFlight;
  return (one.lastUsedAt ?? 0) > (other.lastUsedAt ?? 0);
}

/**
 * Returns the same replica for the same text, to use its caches, unless it is much busier than the
 * others. Rendezvous hashing moves few texts when a replica comes or goes.
 */
export function chooseByAffinity<T extends Candidate>(
  candidates: readonly T[],
  affinity: string,
): T | undefined {
  const total = candidates.reduce((sum, { inFlight }) => sum + inFlight, 0);
  const most = Math.ceil((overflow * (total + 1)) / candidates.length);
  let best: T | undefined;
  let bestScore = -1;
  for (const candidate of candidates) {
    if (candidate.inFlight >= most) continue;
    const score = scatter(crc32(candidate.replica, crc32(affinity)));
    if (score > bestScore) {
      best = candidate;
      bestScore = score;
    }
  }
  return best;
}

/**
 * Returns the place of a text among 100, the same each time.
 *
 * @param salt another one gives other places
 */
export function placeOf(text: string, salt: string): number {
  return scatter(crc32(salt, crc32(text))) % 100;
}

/** Finalizer of MurmurHash3; with a plain CRC most texts would choose the same replica. */
function scatter(hash: number): number {
  let value = hash;
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
