// Says when to paint: soon after a change, and not more often than the eye can follow.

/** Between two pictures. */
const usualIntervalMs = 33;

export interface PaintTriggerOptions {
  /** Tells when something has changed that shows. */
  readonly subscribe: (listener: () => void) => () => void;
  readonly intervalMs?: number;
}

export class PaintTrigger {
  readonly #listeners = new Set<() => void>();
  readonly #intervalMs: number;
  #count = 0;
  #paintedAtMs = -Infinity;
  #isWaiting = false;

  constructor({ subscribe, intervalMs = usualIntervalMs }: PaintTriggerOptions) {
    this.#intervalMs = intervalMs;
    subscribe(() => this.#changed());
  }

  /** Milliseconds since the newest picture was begun. */
  get elapsedMs(): number {
    return performance.now() - this.#paintedAtMs;
  }

  /** For `useSyncExternalStore`: another number for another picture. */
  readonly count = (): number => this.#count;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** A key changes several things: they are painted together, and at once where it was quiet. */
  #changed(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    const restMs = this.#paintedAtMs + this.#intervalMs - performance.now();
    if (restMs <= 0) setImmediate(() => this.#paint());
    else setTimeout(() => this.#paint(), restMs);
  }

  #paint(): void {
    this.#isWaiting = false;
    this.#paintedAtMs = performance.now();
    this.#count += 1;
    for (const listener of this.#listeners) listener();
  }
}
