// Slot: one sequence of the context, with the tokens in it and its job.
import type { AddonCheckpoint } from "./addon.ts";

/** State of a sequence at an earlier length. */
export interface Checkpoint {
  /** Tokens of the slot that it covers. */
  length: number;
  state: AddonCheckpoint;
  /** When it was made or last restored; monotonic milliseconds. */
  lastUsed: number;
}

/** `Job` is the loop's type of work in a slot. */
export class Slot<Job> {
  readonly id: number;
  /** Tokens whose keys and values are in the context, in order. */
  tokens: number[] = [];
  /** Tokens of the last prompt; an answer follows. */
  promptLength = 0;
  /** Ascending by length; all of them belong to `tokens`. */
  checkpoints: Checkpoint[] = [];
  job: Job | undefined;
  /** When it last finished a job; monotonic milliseconds. */
  lastUsed = 0;
  /** Changes whenever `tokens` does: a saved copy of an older version is outdated. */
  version = 0;

  constructor(id: number) {
    this.id = id;
  }

  /** Records that only the first tokens are left in the context, none by default. */
  forget(keep = 0): void {
    this.version += 1;
    this.tokens = this.tokens.slice(0, keep);
    for (const { length, state } of this.checkpoints) if (length > keep) state.dispose();
    this.checkpoints = this.checkpoints.filter(({ length }) => length <= keep);
  }
}

/** Counts the tokens that two sequences share from the start. */
export function sharedPrefixLength(a: readonly number[], b: readonly number[]): number {
  const limit = Math.min(a.length, b.length);
  let length = 0;
  while (length < limit && a[length] === b[length]) length += 1;
  return length;
}
