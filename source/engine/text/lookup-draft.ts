// Prompt lookup: when the last tokens occurred before in this conversation, guesses that the same
// tokens follow. The model checks the guess in one step, so a wrong one costs time and changes nothing.

const gramLength = 3;
/** Weight of the latest guess in the acceptance. */
const newWeight = 0.2;

export class LookupDraft {
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

/**
 * Lengths of a draft. Steps of 4, 8 and 16 tokens cost less for each token than those between:
 * llama.cpp's repacked kernels work on rows of four.
 */
const lengths = [3, 7, 15];
/** Gain below which a draft is not worth its unsteadiness. */
const leastGain = 1.1;
/** Assumed growth of a step's time while it is not measured: to four tokens, and to twice as many. */
const assumedGrowth = { first: 2, doubled: 1.6 };
const firstRetry = 128;
const lastRetry = 1024;

/**
 * Decides how many tokens to draft: as many as promise the most tokens for the time, by the measured
 * time of steps. A larger step costs more than a draft saves where the processor computes each row in
 * turn, and nearly nothing where it waits for the weights.
 */
export class DraftPolicy {
  readonly #stepMs: (tokens: number) => number | undefined;
  #skipped = 0;
  #retryAfter = firstRetry;

  /** @param stepMs measured milliseconds of a step with so many tokens */
  constructor(stepMs: (tokens: number) => number | undefined) {
    this.#stepMs = stepMs;
  }

  /**
   * @param guessed tokens that could be drafted
   * @param acceptance probability that one of them is right if those before it are
   * @returns number of tokens to draft, 0 if that would be slower
   */
  choose(guessed: number, acceptance: number): number {
    const plainMs = this.#stepMs(1);
    if (plainMs === undefined) return 0;
    const possible = lengths.filter((length) => length <= guessed);
    const measured = this.#best(possible, acceptance, plainMs, this.#stepMs);
    if (measured > 0) {
      this.#retryAfter = firstRetry;
      return measured;
    }
    // A measurement may be outdated: other programs leave, the window fills up.
    if (this.#best(possible, acceptance, plainMs, () => undefined) === 0) return 0;
    this.#skipped += 1;
    if (this.#skipped < this.#retryAfter) return 0;
    this.#skipped = 0;
    this.#retryAfter = Math.min(lastRetry, this.#retryAfter * 2);
    return lengths[0] ?? 0;
  }

  #best(
    possible: readonly number[],
    acceptance: number,
    plainMs: number,
    measured: (tokens: number) => number | undefined,
  ): number {
    let best = 0;
    let bestRate = leastGain / plainMs;
    let assumedMs = plainMs * assumedGrowth.first;
    for (const length of possible) {
      const stepMs = measured(length + 1) ?? assumedMs;
      const rate = expectedTokens(length, acceptance) / stepMs;
      if (rate > bestRate) [best, bestRate] = [length, rate];
      assumedMs = stepMs * assumedGrowth.doubled;
    }
    return best;
  }
}

/** Returns the mean number of tokens that a step with a draft yields. */
function expectedTokens(drafted: number, acceptance: number): number {
  if (acceptance >= 1) return drafted + 1;
  return (1 - acceptance ** (drafted + 1)) / (1 - acceptance);
}
