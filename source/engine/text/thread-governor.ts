// Number of threads for a step.
//
// llama.cpp's threads wait for each other by spinning, many times in each step: a thread that another
// program (or our own event loop) keeps off its core delays all of them. As many threads as cores is
// best on an idle machine and five to ten times slower on a busy one, and for very small models one
// thread beats two everywhere. So the governor measures the time per token for each thread count and
// kind of step, uses the best, and sometimes tries others, never more than there are idle cores.
import { MeasuredSpareCores, type SpareCores } from "./spare-cores.ts";

interface StepKind {
  /** Milliseconds per token by thread count. */
  estimates: Map<number, number>;
  /** False for the first step, which reads weights from disk and warms up caches. */
  isWarm: boolean;
  msSinceProbe: number;
  nextProbe: number;
}

/** Share of the time that trying other thread counts may cost. */
const probeBudget = 0.005;
/** Same for a count that no kind of step has tried, which is assumed to scale with the threads. */
const firstProbeBudget = 0.1;
/** Limit on the growth of an estimate: one slow step is an outlier, several are a trend. */
const growth = { weight: 0.2, maxPerStep: 2 };
/** Rounding errors in the idle time must not rule out the last core. */
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

  /** Prepares for work after a pause. */
  async begin(): Promise<void> {
    if (this.#choices.length > 1) await this.#spareCores.refresh();
  }

  /** @param tokens number of tokens in the step */
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

  /** Learns from the duration of a step. */
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

  /** Returns how many times slower `other` threads are than `best` in another kind of step. */
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

  /** Groups steps of similar size: one token, a few sequences, many, a chunk of prompt. */
  #kindOf(tokens: number): StepKind {
    const size = [1, 4, 8, 16].find((max) => tokens <= max) ?? 512;
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

/** Adopts improvements quickly, and slowdowns only if they last. */
function learn(known: number, msPerToken: number): number {
  if (msPerToken <= known) return msPerToken + 0.25 * (known - msPerToken);
  const capped = Math.min(msPerToken, known * growth.maxPerStep);
  return (1 - growth.weight) * known + growth.weight * capped;
}
