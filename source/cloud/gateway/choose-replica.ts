// Which of the replicas that have room is given a request.
import { crc32 } from "node:zlib";

export interface Candidate {
  replica: string;
  inFlight: number;
  lastUsedAt: number | undefined;
}

/** With affinity a replica may hold so much more than the average before the next one is taken. */
const overflow = 1.25;

/**
 * The one with the fewest requests; of several the one used last, so that others may go idle.
 *
 * @param candidates those that have room
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
 * The same one for the same text, as long as it is not much busier than the others: what it has
 * cached is used again. Few texts move when a replica comes or goes (rendezvous hashing).
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

/** MurmurHash3's finish: a CRC alone keeps the order of the replicas for most texts. */
function scatter(hash: number): number {
  let value = hash;
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
