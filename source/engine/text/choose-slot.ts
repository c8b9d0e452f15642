// Choice of the slot for a prompt, and of the slot to copy its prefix from.
//
// llama.cpp computes the sequences of a batch together only when their ids are consecutive
// (llama_batch_allocr::split_equal with sequential streams): scattered ids cost up to twice the
// time. So the slot that keeps the busy ids in the fewest runs comes first, then a cached prefix,
// then age.
import { type Slot, sharedPrefixLength } from "./slot.ts";

export interface SlotChoice<Job> {
  slot: Slot<Job>;
  /** Slot to copy the first `prefix` tokens from, if it is another one. */
  copyFrom: Slot<Job> | undefined;
  /** Number of prompt tokens that need not be computed. */
  prefix: number;
}

/** Shorter shared prefixes are no reason to displace another conversation. */
const smallestSharedPrefix = 32;
/** Every prompt of a template begins with the same few tokens, which make no conversation. */
const smallestContinuation = 8;

/**
 * @param worthCopying returns true if copying a prefix of this length from a slot beats computing
 *   it
 * @param reusable returns the number of tokens that a slot saves computing
 * @returns undefined when every slot is busy
 */
export function chooseSlot<Job>(
  slots: ReadonlyArray<Slot<Job>>,
  tokens: readonly number[],
  worthCopying: (prefix: number, source: Slot<Job>) => boolean,
  reusable = (slot: Slot<Job>) => sharedPrefixLength(slot.tokens, tokens),
): SlotChoice<Job> | undefined {
  const free = slots.filter((slot) => slot.job === undefined);
  if (free.length === 0) return undefined;
  const source = longestPrefix(slots, reusable);
  const continues = source !== undefined && isContinuation(source);
  const shares = source !== undefined && source.prefix >= smallestSharedPrefix;
  const ranked = free
    .map((slot) => ({
      slot,
      runs: runsWith(slots, slot),
      isSource: slot === source?.slot && (shares || continues) ? 0 : 1,
    }))
    .sort(
      (a, b) => a.runs - b.runs || a.isSource - b.isSource || a.slot.lastUsed - b.slot.lastUsed,
    );
  const [first] = ranked;
  if (first === undefined) return undefined;
  const best = first.slot;
  if (source === undefined) return { slot: best, copyFrom: undefined, prefix: 0 };
  const copies = shares && worthCopying(source.prefix, source.slot);
  if (source.slot === best) {
    // Only a shared prefix: leave that conversation in place and work on a copy.
    const other = ranked.find(({ slot, runs }) => slot !== best && runs === first.runs);
    if (copies && !continues && other !== undefined) {
      return { slot: other.slot, copyFrom: best, prefix: source.prefix };
    }
    return { slot: best, copyFrom: undefined, prefix: source.prefix };
  }
  if (copies) return { slot: best, copyFrom: source.slot, prefix: source.prefix };
  if (source.slot.job === undefined && (shares || continues)) {
    // Scattered ids cost less than computing the prefix again.
    return { slot: source.slot, copyFrom: undefined, prefix: source.prefix };
  }
  return { slot: best, copyFrom: undefined, prefix: reusable(best) };
}

/** Returns true if a prompt continues the slot's conversation. */
function isContinuation<Job>({ slot, prefix }: { slot: Slot<Job>; prefix: number }): boolean {
  return prefix >= smallestContinuation && prefix >= slot.tokens.length * 0.5;
}

function longestPrefix<Job>(
  slots: ReadonlyArray<Slot<Job>>,
  reusable: (slot: Slot<Job>) => number,
): { slot: Slot<Job>; prefix: number } | undefined {
  let best: { slot: Slot<Job>; prefix: number } | undefined;
  for (const slot of slots) {
    const prefix = reusable(slot);
    if (prefix === 0) continue;
    const better =
      best === undefined ||
      prefix > best.prefix ||
      // Equal length: prefers an idle slot, then the shorter one, which is cheaper to copy.
      (prefix === best.prefix &&
        (slot.job === undefined
          ? best.slot.job !== undefined || slot.tokens.length < best.slot.tokens.length
          : best.slot.job !== undefined && slot.tokens.length < best.slot.tokens.length));
    if (better) best = { slot, prefix };
  }
  return best;
}

/** Counts the runs of consecutive busy ids if `taken` were busy too. */
function runsWith<Job>(slots: ReadonlyArray<Slot<Job>>, taken: Slot<Job>): number {
  let runs = 0;
  let inside = false;
  for (const slot of slots) {
    const busy = slot.job !== undefined || slot === taken;
    if (busy && !inside) runs += 1;
    inside = busy;
  }
  return runs;
}
