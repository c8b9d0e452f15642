// Start time of a replica, divided into phases.

/**
 * `prepare`: builds the environment; `launch`: starts Python; `import`: runs the script's top
 * level; `setup`: runs its function until the first known output; after that from the server's
 * output: `download` of weights, `load`, `compile`, `capture` of graphs, and `listen` until it has
 * answered.
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

  /** @param at milliseconds since 1970, as everywhere in this file */
  constructor(at: number) {
    this.#since = at;
  }

  /** Times come from several clocks of this machine, so a backward step counts as zero. */
  enter(phase: StartPhase, at: number): void {
    const spent = this.#spentMs.get(this.#phase) ?? 0;
    this.#spentMs.set(this.#phase, spent + Math.max(0, at - this.#since));
    this.#since = Math.max(this.#since, at);
    this.#phase = phase;
  }

  /** @returns milliseconds by phase, in order of time, once the replica is ready */
  end(at: number): Partial<Record<StartPhase, number>> {
    this.enter(this.#phase, at);
    return Object.fromEntries(this.#spentMs);
  }
}

/** Describes phases that took noticeable time: "import 2.0 s, load 8.1 s". */
export function describePhases(phasesMs: Readonly<Record<string, number>>): string {
  return Object.entries(phasesMs)
    .filter(([, ms]) => ms >= 50)
    .map(([phase, ms]) => `${phase} ${(ms / 1000).toFixed(1)} s`)
    .join(", ");
}
