// Decides when React hears of changes: at once after a key, else as often as the eye can follow.

/** Between two frames of what comes by itself, such as an answer. */
const usualIntervalMs = 50;
/** Between two frames of what a person types. */
const hurriedIntervalMs = 16;

export class Pace {
  readonly #waiting = new Set<() => void>();
  #frameAtMs = -Infinity;
  #timer: NodeJS.Timeout | undefined;
  #dueAtMs = Infinity;
  #isHurried = false;
  readonly #onFrame: () => void;

  /** @param onFrame called before each frame, for measuring what it costs */
  constructor(onFrame: () => void = () => {}) {
    this.#onFrame = onFrame;
  }

  /** A person waits for what changes from now on, until the next frame. */
  hurry(): void {
    this.#isHurried = true;
  }

  /** Tells the listener with the next frame; several changes before it are one. */
  tell(listener: () => void): void {
    this.#waiting.add(listener);
    const intervalMs = this.#isHurried ? hurriedIntervalMs : usualIntervalMs;
    const dueAtMs = this.#frameAtMs + intervalMs;
    if (dueAtMs >= this.#dueAtMs) return;
    clearTimeout(this.#timer);
    this.#dueAtMs = dueAtMs;
    this.#timer = setTimeout(() => this.#frame(), Math.max(0, dueAtMs - performance.now()));
  }

  /** Forgets a listener that waits. */
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
