// What the time of a replica's start goes into: every moment of it belongs to one phase.

/**
 * `prepare`: its place and its environment are made; `launch`: Python starts; `import`: the script's
 * top level runs; `setup`: its function runs and has not told what it does; from then on what the
 * server's own lines tell: `download` of weights, `load`, `compile`, `capture` of graphs, and
 * `listen` until it has answered.
 */
export type StartPhase =
  | "prepare"
  | "launch"
  | "import"
  | "setup"
  | "download"
  | "load"
  | "compile"
  | "capture"
  | "listen";

export class StartPhases {
  #phase: StartPhase = "prepare";
  #since: number;
  readonly #spentMs = new Map<StartPhase, number>();

  /** @param at milliseconds since 1970, as everywhere here */
  constructor(at: number) {
    this.#since = at;
  }

  /** Times come from several clocks of this machine: one that runs backwards counts as no time. */
  enter(phase: StartPhase, at: number): void {
    const spent = this.#spentMs.get(this.#phase) ?? 0;
    this.#spentMs.set(this.#phase, spent + Math.max(0, at - this.#since));
    this.#since = Math.max(this.#since, at);
    this.#phase = phase;
  }

  /** @returns milliseconds by phase, in the order in which they came, once the replica is ready */
  end(at: number): Partial<Record<StartPhase, number>> {
    this.enter(this.#phase, at);
    return Object.fromEntries(this.#spentMs);
  }
}

/** "import 2.0 s, load 8.1 s": those that took any time worth telling. */
export function describePhases(phasesMs: Readonly<Record<string, number>>): string {
  return Object.entries(phasesMs)
    .filter(([, ms]) => ms >= 50)
    .map(([phase, ms]) => `${phase} ${(ms / 1000).toFixed(1)} s`)
    .join(", ");
}
