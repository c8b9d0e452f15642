// Says when to paint: at once after a key, else not more often than the eye can follow.

/** Between two pictures of what comes by itself, such as an answer. */
const usualIntervalMs = 50;
/** Between two pictures of what a person types. */
const hurriedIntervalMs = 16;

export class PaintTrigger {
  readonly #listeners = new Set<() => void>();
  #count = 0;
  #paintedAtMs = -Infinity;
  #timer: NodeJS.Timeout | undefined;
  #dueAtMs = Infinity;
  #isHurried = false;

  /** @param subscribe to what is painted */
  constructor(subscribe: (listener: () => void) => () => void) {
    subscribe(() => this.#changed());
  }

  /** Milliseconds since the newest picture was begun. */
  get elapsedMs(): number {
    return performance.now() - this.#paintedAtMs;
  }

  /** What changes from now on, until the next picture, is waited for by a person. */
  hurry(): void {
    this.#isHurried = true;
  }

  /** For `useSyncExternalStore`: another number for another picture. */
  readonly count = (): number => this.#count;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** A key changes several things: they are painted together. */
  #changed(): void {
    const intervalMs = this.#isHurried ? hurriedIntervalMs : usualIntervalMs;
    const dueAtMs = this.#paintedAtMs + intervalMs;
    if (dueAtMs >= this.#dueAtMs) return;
    clearTimeout(this.#timer);
    this.#dueAtMs = dueAtMs;
    this.#timer = setTimeout(() => this.#paint(), Math.max(0, dueAtMs - performance.now()));
  }

  #paint(): void {
    this.#dueAtMs = Infinity;
    this.#isHurried = false;
    this.#paintedAtMs = performance.now();
    this.#count += 1;
    for (const listener of this.#listeners) listener();
  }
}
