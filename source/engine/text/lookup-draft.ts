// Prompt lookup: when the last tokens occurred before in this conversation, guesses that the same
// tokens follow. The model checks the guess in one step, so a wrong one costs time and changes nothing.

import { DraftBudget } from "./draft-policy.ts";

const gramLength = 3;
/** Weight of the latest guess in the acceptance. */
const newWeight = 0.2;

export class LookupDraft {
  readonly budget = new DraftBudget();
  readonly #history: number[];
  /** Index behind the last occurrence of a gram, by the gram's hash. */
  readonly #after = new Map<number, number>();
  #indexed = 0;
  /** Index of the earlier token that is expected next. */
  #at: number | undefined;
  #acceptance = 0.5;

  constructor(promptTokens: readonly number[]) {
    this.#history = [...promptTokens];
  }

  /**
   * Share of right guesses, recent ones counting most. It is known without a draft: each token of the
   * answer shows if the guess before it was right.
   */
  get acceptance(): number {
    return this.#acceptance;
  }

  /** Adds a token of the answer. */
  push(token: number): void {
    if (this.#at !== undefined) {
      const isRight = this.#history[this.#at] === token;
      this.#acceptance += newWeight * (Number(isRight) - this.#acceptance);
      // The answer goes on as the earlier text does.
      this.#at = isRight ? this.#at + 1 : undefined;
    }
    this.#history.push(token);
    this.#at ??= this.#find();
  }

  /** Returns up to `limit` tokens that followed the last tokens when they occurred before. */
  guess(limit: number): number[] {
    if (this.#at === undefined) return [];
    const followed = this.#history.slice(this.#at, this.#at + limit);
    const image = followed.findIndex((token) => token < 0);
    return image < 0 ? followed : followed.slice(0, image);
  }

  #find(): number | undefined {
    const history = this.#history;
    for (; this.#indexed < history.length - gramLength; this.#indexed += 1) {
      this.#after.set(hashAt(history, this.#indexed), this.#indexed + gramLength);
    }
    const last = history.length - gramLength;
    if (last < 0) return undefined;
    const at = this.#after.get(hashAt(history, last));
    if (at === undefined) return undefined;
    for (let back = 1; back <= gramLength; back += 1) {
      if (history[at - back] !== history[history.length - back]) return undefined;
    }
    return at;
  }
}

function hashAt(tokens: readonly number[], index: number): number {
  let hash = 0;
  for (let at = index; at < index + gramLength; at += 1) {
    hash = Math.imul(hash, 31_415_821) + (tokens[at] ?? 0);
  }
  return hash | 0;
}
