// Paces updates of React: at once after a key, else at a readable rate.

/** Minimum time between frames of streamed changes, such as an answer. */
const usualIntervalMs = 50;
/** Minimum time between frames while the user types. */
const hurriedIntervalMs = 16;

export class Pace {
  readonly #waiting = new Set<() => void>();
  #frameAtMs = -Infinity;
  #timer: NodeJS.Timeout | undefined;
  #dueAtMs = Infinity;
  #isHurried = false;
  readonly #onFrame: () => void;

  /** @param onFrame called before each frame, for measurements */
  constructor(onFrame: () => void = () => {}) {
    this.#onFrame = onFrame;
  }

  /** Makes the next frame urgent: the user waits for it. */
  hurry(): void {
    this.#isHurried = true;
  }

  /** Calls the listener with the next frame; several changes before it count as one. */
  tell(listener: () => void): void {
    this.#waiting.add(listener);
    const intervalMs = this.#isHurried ? hurriedIntervalMs : usualIntervalMs;
    const dueAtMs = this.#frameAtMs + intervalMs;
    if (dueAtMs >= this.#dueAtMs) return;
    clearTimeout(this.#timer);
    this.#dueAtMs = dueAtMs;
    this.#timer = setTimeout(() => this.#frame(), Math.max(0, dueAtMs - performance.now()));
  }

  /** Removes a waiting listener. */
  drop(listener: () => void): void {
    this.#waiting.delete(listener);
  }

  #frame(): void {
    const listeners = [...this.#waiting];
    this.#waiting.clear();
    this.#dueAtMs = Infinity;
    this.#isHurried = false;
    this.#frameAtMs = performance.now();
    this.#onFrame();
    for (const listener of listeners) listener();
  }
}
