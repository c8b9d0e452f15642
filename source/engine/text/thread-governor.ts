// How many threads a step uses.
//
// llama.cpp's threads wait for each other by spinning, many times in each step: one that another
// program (or our own event loop) keeps off its core holds up all of them. As many threads as cores is
// best on an idle machine and five to ten times slower on a busy one, and for very small models one
// thread beats two everywhere. So the governor measures: time per token for each thread count and kind
// of step, the best one is used, others are tried now and then, never more than there are idle cores.
import os from "node:os";

/** Cores that this process may use without taking them from others, a number; may be fractional. */
export type SpareCores = () => number;

interface Estimate {
  msPerToken: number;
  samples: number;
}

interface StepKind {
  estimates: Map<number, Estimate>;
  stepsSinceProbe: number;
  stepsBetweenProbes: number;
  nextProbe: number;
}

const samplesBeforeJudging = 2;
const firstProbeInterval = 32;
const longestProbeInterval = 2048;
/** A thread count this much slower is tried ever more rarely. */
const clearlySlower = 1.25;
/** Rounding in the measurement of idle time must not forbid the last core. */
const coreTolerance = 0.35;

export class ThreadGovernor {
  readonly #choices: number[];
  readonly #spareCores: SpareCores;
  readonly #kinds = new Map<number, StepKind>();

  /** @param maximum most threads ever used, at least 1 */
  constructor(maximum: number, spareCores: SpareCores = measureSpareCores()) {
    const most = Math.max(1, Math.floor(maximum));
    const halves = [most, Math.ceil(most * 0.75), Math.ceil(most / 2), Math.ceil(most / 4), 1];
    this.#choices = [...new Set(halves)].sort((a, b) => b - a);
    this.#spareCores = spareCores;
  }

  /** @param tokens how many tokens the step computes */
  choose(tokens: number): number {
    if (this.#choices.length === 1) return 1;
    const kind = this.#kindOf(tokens);
    const allowed = this.#allowed();
    const best = this.#best(kind, allowed);
    const unknown = allowed.find((threads) => this.#isUnknown(kind, threads, best));
    if (unknown !== undefined) return unknown;
    kind.stepsSinceProbe += 1;
    if (kind.stepsSinceProbe < kind.stepsBetweenProbes || allowed.length < 2) return best;
    kind.stepsSinceProbe = 0;
    const others = allowed.filter((threads) => threads !== best);
    kind.nextProbe += 1;
    return others[kind.nextProbe % others.length] ?? best;
  }

  /** Learns how long a step took. */
  note(tokens: number, threads: number, milliseconds: number): void {
    const kind = this.#kindOf(tokens);
    const msPerToken = milliseconds / tokens;
    const known = kind.estimates.get(threads);
    kind.estimates.set(threads, {
      samples: (known?.samples ?? 0) + 1,
      // The first step of a kind warms caches up: it must not count for long.
      msPerToken: known === undefined ? msPerToken : 0.5 * known.msPerToken + 0.5 * msPerToken,
    });
    const best = this.#best(kind, [...kind.estimates.keys()]);
    if (threads === best) return;
    const slower = msPerToken > clearlySlower * (kind.estimates.get(best)?.msPerToken ?? 0);
    kind.stepsBetweenProbes = slower
      ? Math.min(longestProbeInterval, kind.stepsBetweenProbes * 4)
      : firstProbeInterval;
  }

  /** One look is enough at what is far slower than the best. */
  #isUnknown(kind: StepKind, threads: number, best: number): boolean {
    const estimate = kind.estimates.get(threads);
    if (estimate === undefined) return true;
    const bestMs = kind.estimates.get(best)?.msPerToken ?? 0;
    return estimate.samples < samplesBeforeJudging && estimate.msPerToken < 2 * bestMs;
  }

  #allowed(): number[] {
    const limit = Math.max(1, this.#spareCores() + coreTolerance);
    return this.#choices.filter((threads) => threads <= limit);
  }

  #best(kind: StepKind, candidates: readonly number[]): number {
    let best = candidates[0] ?? 1;
    for (const threads of candidates) {
      const estimate = kind.estimates.get(threads)?.msPerToken ?? Number.POSITIVE_INFINITY;
      const known = kind.estimates.get(best)?.msPerToken ?? Number.POSITIVE_INFINITY;
      if (estimate < known) best = threads;
    }
    return best;
  }

  /** Steps of like size behave alike: one token, a few sequences, many, a chunk of prompt. */
  #kindOf(tokens: number): StepKind {
    const size = tokens === 1 ? 1 : tokens <= 4 ? 4 : tokens <= 16 ? 16 : 512;
    let kind = this.#kinds.get(size);
    if (kind === undefined) {
      kind = {
        estimates: new Map(),
        stepsSinceProbe: 0,
        stepsBetweenProbes: firstProbeInterval,
        nextProbe: 0,
      };
      this.#kinds.set(size, kind);
    }
    return kind;
  }
}

const measureEveryMs = 1000;
/** Enough for a first idea: loading the model takes longer. */
const firstMeasureMs = 50;

// Taken when the process starts, so that the first step knows whether the machine is busy.
const atStart = { idle: idleMs(), own: process.cpuUsage(), at: performance.now() };

/** Idle cores plus the ones that this process uses itself, over the last second or so. */
function measureSpareCores(): SpareCores {
  let { idle, own, at } = atStart;
  let spare: number | undefined;
  return () => {
    const now = performance.now();
    const elapsed = now - at;
    if (elapsed < (spare === undefined ? firstMeasureMs : measureEveryMs)) {
      return spare ?? os.availableParallelism();
    }
    const nowIdle = idleMs();
    const used = process.cpuUsage(own);
    spare = (nowIdle - idle + (used.user + used.system) / 1000) / elapsed;
    idle = nowIdle;
    own = process.cpuUsage();
    at = now;
    return spare;
  };
}

function idleMs(): number {
  return os.cpus().reduce((sum, cpu) => sum + cpu.times.idle, 0);
}
