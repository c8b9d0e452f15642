// Decision how many guessed tokens a step checks: by the cost of such steps, by how often guesses were
// right, and within a budget for wrong ones.

/** Last steps that are compared: plain ones, and those with a draft of one length. */
const kept = { plain: 9, drafted: 5 };

/** Low, so that one high measurement among few does not end all drafts. */
const ratioQuantile = 1 / 3;

/**
 * Costs of steps by their number of tokens, relative to plain steps. A step is compared with the plain steps
 * before it, since another program slows down both. A single comparison decides nothing.
 */
export class StepCosts {
  readonly #plain: number[] = [];
  readonly #ratios = new Map<number, number[]>();

  /** Learns from a step. @param cost in any unit */
  note(tokens: number, cost: number): void {
    if (tokens === 1) {
      keep(this.#plain, cost, kept.plain);
      return;
    }
    const plain = quantile(this.#plain, 0.5);
    if (plain === undefined || plain <= 0) return;
    const ratios = this.#ratios.get(tokens) ?? [];
    keep(ratios, cost / plain, kept.drafted);
    this.#ratios.set(tokens, ratios);
  }

  /** Returns the cost of a step in plain steps; undefined before it was measured. */
  of(tokens: number): number | undefined {
    if (tokens > 1) return quantile(this.#ratios.get(tokens) ?? [], ratioQuantile);
    return this.#plain.length > 0 ? 1 : undefined;
  }
}

function keep(values: number[], value: number, most: number): void {
  values.push(value);
  if (values.length > most) values.shift();
}

/** Returns the value above so many of them. */
function quantile(values: readonly number[], share: number): number | undefined {
  return [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * share)];
}

/** Plain steps that drafts may cost an answer at once, and for each of its plain steps. */
const allowance = { first: 2, perStep: 0.02 };
/** Limit of what drafts that paid off allow later ones to cost. */
const most = 8;

/** Plain steps that wrong guesses may cost an answer. */
export class DraftBudget {
  #steps = allowance.first;

  /** False after drafts that cost too much, until plain steps have made up for them. */
  get isOpen(): boolean {
    return this.#steps > 0;
  }

  /** @param cost of a step, in plain steps, which yielded so many tokens */
  note(cost: number, tokens: number, isDraft: boolean): void {
    const change = isDraft ? tokens - cost : allowance.perStep;
    this.#steps = Math.min(most, this.#steps + change);
  }
}

/**
 * Lengths of a draft. Steps of 4, 8 and 16 tokens cost less for each token than those between:
 * llama.cpp's repacked kernels work on rows of four.
 */
const lengths = [3, 7, 15];
/** Gain below which a draft is not worth its unsteadiness. */
const leastGain = 1.1;
/** Assumed growth of a step's cost while it is not measured: to four tokens, and to twice as many. */
const assumedGrowth = { first: 2, doubled: 1.6 };
const firstRetry = 32;
const lastRetry = 1024;

/**
 * Decides how many tokens to draft: as many as promise the most tokens for the cost. A larger step
 * costs more than a draft saves where the processor computes each row in turn, and nearly nothing
 * where it waits for the weights.
 */
export class DraftPolicy {
  readonly #costs = new StepCosts();
  #skipped = 0;
  #retryAfter = firstRetry;

  /**
   * @param guessed tokens that could be drafted
   * @param acceptance probability that one of them is right if those before it are
   * @returns number of tokens to draft, 0 if that would be slower or wrong guesses have cost too much
   */
  choose(guessed: number, acceptance: number, budget: DraftBudget): number {
    const possible = lengths.filter((length) => length <= guessed);
    if (possible.length === 0 || !budget.isOpen || this.#costs.of(1) === undefined) return 0;
    const measured = this.#best(possible, acceptance, (tokens) => this.#costs.of(tokens));
    if (measured > 0) {
      this.#retryAfter = firstRetry;
      return measured;
    }
    // A measurement may be outdated: the window fills up, and memory gets busy.
    const assumed = this.#best(possible, acceptance, () => undefined);
    if (assumed === 0) return 0;
    this.#skipped += 1;
    if (this.#skipped < this.#retryAfter) return 0;
    this.#skipped = 0;
    this.#retryAfter = Math.min(lastRetry, this.#retryAfter * 2);
    return assumed;
  }

  /**
   * Learns from a step of one answer.
   *
   * @param cost in any unit that other programs disturb little
   * @param yielded tokens that the answer got
   */
  note(step: { tokens: number; cost: number; yielded: number }, budget: DraftBudget): void {
    this.#costs.note(step.tokens, step.cost);
    const usual = this.#costs.of(step.tokens);
    if (usual !== undefined) budget.note(usual, step.yielded, step.tokens > 1);
  }

  #best(
    possible: readonly number[],
    acceptance: number,
    measured: (tokens: number) => number | undefined,
  ): number {
    let best = 0;
    let bestRate = leastGain;
    let assumed = assumedGrowth.first;
    for (const length of possible) {
      const cost = measured(length + 1) ?? assumed;
      const rate = expectedTokens(length, acceptance) / cost;
      if (rate > bestRate) [best, bestRate] = [length, rate];
      assumed = cost * assumedGrowth.doubled;
    }
    return best;
  }
}

/** Returns the mean number of tokens that a step with a draft yields. */
export function expectedTokens(drafted: number, acceptance: number): number {
  if (acceptance >= 1) return drafted + 1;
  return (1 - acceptance ** (drafted + 1)) / (1 - acceptance);
}
