// How many threads a step uses.
//
// llama.cpp's threads wait for each other by spinning, many times in each step: one that another
// program (or our own event loop) keeps off its core holds up all of them. As many threads as cores is
// best on an idle machine and five to ten times slower on a busy one, and for very small models one
// thread beats two everywhere. So the governor measures: time per token for each thread count and kind
// of step, the best one is used, others are tried now and then, never more than there are idle cores.
import { MeasuredSpareCores, type SpareCores } from "./spare-cores.ts";

interface StepKind {
  /** Milliseconds per token by thread count. */
  estimates: Map<number, number>;
  /** The first step reads weights from disk and warms caches up: it says nothing. */
  isWarm: boolean;
  msSinceProbe: number;
  nextProbe: number;
}

/** Trying other thread counts may cost this share of the time, about. */
const probeBudget = 0.005;
/** The same for one that no kind of step was tried with, taken to be slower as it has less threads. */
const firstProbeBudget = 0.1;
/** One slow step is a hiccup, several are a trend: how fast an estimate may grow. */
const growth = { weight: 0.2, mostPerStep: 2 };
/** Rounding in the measurement of idle time must not forbid the last core. */
const coreTolerance = 0.35;

export class ThreadGovernor {
  readonly #choices: number[];
  readonly #spareCores: SpareCores;
  readonly #kinds = new Map<number, StepKind>();

  /** @param maximum most threads ever used, at least 1 */
  constructor(maximum: number, spareCores: SpareCores = new MeasuredSpareCores()) {
    const most = Math.max(1, Math.floor(maximum));
    const parts = [most, Math.ceil(most * 0.75), Math.ceil(most / 2), Math.ceil(most / 4), 1];
    this.#choices = [...new Set(parts)].sort((a, b) => b - a);
    this.#spareCores = spareCores;
  }

  /** To be awaited when work begins after a rest. */
  async begin(): Promise<void> {
    if (this.#choices.length > 1) await this.#spareCores.lookAround();
  }

  /** @param tokens how many tokens the step computes */
  choose(tokens: number): number {
    const kind = this.#kindOf(tokens);
    const allowed = this.#allowed();
    const [most = 1] = allowed;
    if (allowed.length === 1 || !kind.isWarm) return most;
    const best = cheapest(kind, allowed);
    if (!kind.estimates.has(best)) return best;
    const others = allowed.filter((threads) => threads !== best);
    const untried = others.find((threads) => !kind.estimates.has(threads));
    const other = untried ?? others[kind.nextProbe % others.length] ?? best;
    const elsewhere = this.#slowdown(other, best);
    const known = estimateOf(kind, best);
    const guess = kind.estimates.get(other) ?? known * (elsewhere ?? most / other);
    const extraMs = (guess - known) * tokens;
    const budget =
      untried === undefined || elsewhere !== undefined ? probeBudget : firstProbeBudget;
    if (extraMs > budget * kind.msSinceProbe) return best;
    kind.msSinceProbe = 0;
    kind.nextProbe += 1;
    return other;
  }

  /** Learns how long a step took. */
  note(tokens: number, threads: number, milliseconds: number): void {
    const kind = this.#kindOf(tokens);
    if (!kind.isWarm) {
      kind.isWarm = true;
      return;
    }
    kind.msSinceProbe += milliseconds;
    const msPerToken = milliseconds / tokens;
    const known = kind.estimates.get(threads);
    kind.estimates.set(threads, known === undefined ? msPerToken : learn(known, msPerToken));
  }

  /** How many times slower `other` threads are than `best` in steps of some other kind. */
  #slowdown(other: number, best: number): number | undefined {
    for (const { estimates } of this.#kinds.values()) {
      const [slow, fast] = [estimates.get(other), estimates.get(best)];
      if (slow !== undefined && fast !== undefined) return slow / fast;
    }
    return undefined;
  }

  #allowed(): number[] {
    const limit = Math.max(1, this.#spareCores.count() + coreTolerance);
    return this.#choices.filter((threads) => threads <= limit);
  }

  /** Steps of like size behave alike: one token, a few sequences, many, a chunk of prompt. */
  #kindOf(tokens: number): StepKind {
    const size = tokens === 1 ? 1 : tokens <= 4 ? 4 : tokens <= 16 ? 16 : 512;
    let kind = this.#kinds.get(size);
    if (kind === undefined) {
      kind = { estimates: new Map(), isWarm: false, msSinceProbe: 0, nextProbe: 0 };
      this.#kinds.set(size, kind);
    }
    return kind;
  }
}

function estimateOf(kind: StepKind, threads: number): number {
  return kind.estimates.get(threads) ?? Number.POSITIVE_INFINITY;
}

function cheapest(kind: StepKind, candidates: readonly number[]): number {
  return candidates.reduce((best, threads) =>
    estimateOf(kind, threads) < estimateOf(kind, best) ? threads : best,
  );
}

/** Good news counts at once, bad news only when it stays. */
function learn(known: number, msPerToken: number): number {
  if (msPerToken <= known) return msPerToken + 0.25 * (known - msPerToken);
  const capped = Math.min(msPerToken, known * growth.mostPerStep);
  return (1 - growth.weight) * known + growth.weight * capped;
}
