// One sequence of the context: what it remembers and whom it serves.

/** `Job` is whatever the loop runs in a slot. */
export class Slot<Job> {
  readonly id: number;
  /** Tokens whose keys and values are in the context, in order. */
  tokens: number[] = [];
  job: Job | undefined;
  /** When it last finished a job; monotonic milliseconds. */
  lastUsed = 0;
  /** Changes whenever `tokens` does: a saved copy of an older version is of no use. */
  version = 0;

  constructor(id: number) {
    this.id = id;
  }
}

/** How many tokens two sequences share from the start. */
export function sharedPrefixLength(a: readonly number[], b: readonly number[]): number {
  const limit = Math.min(a.length, b.length);
  let length = 0;
  while (length < limit && a[length] === b[length]) length += 1;
  return length;
}
