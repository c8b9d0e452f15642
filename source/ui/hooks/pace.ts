// Paces updates of React: at once after a key, else at a readable rate that leaves the processor to the model.

/** Minimum time between frames of streamed changes, such as an answer. */
const usualIntervalMs = 50;
/** Frames come at least this often, however slow the machine. */
const longestIntervalMs = 150;
/** Share of one core that streamed frames may take. */
const processorShare = 0.25;
/** Weight of the newest frame in the average cost. */
const newestWeight = 0.2;
/** Minimum time between frames while the user types. */
const hurriedIntervalMs = 16;

export class Pace {
  readonly #waiting = new Set<() => void>();
  #frameAtMs = -Infinity;
  #timer: NodeJS.Timeout | undefined;
  #dueAtMs = Infinity;
  #isHurried = false;
  readonly #processorMs: () => number;
  #beganMs = 0;
  #isDrawing = false;
  #costMs = 0;

  /** @param processorMs processor time used so far; by default 0, so that frames cost nothing */
  constructor(processorMs: () => number = () => 0) {
    this.#processorMs = processorMs;
  }

  /** Makes the next frame urgent: the user waits for it. */
  hurry(): void {
    this.#isHurried = true;
  }

  /** Calls the listener with the next frame; several changes before it count as one. */
  tell(listener: () => void): void {
    this.#waiting.add(listener);
    const dueAtMs =
      this.#frameAtMs + (this.#isHurried ? hurriedIntervalMs : this.#streamIntervalMs);
    if (dueAtMs >= this.#dueAtMs) return;
    clearTimeout(this.#timer);
    this.#dueAtMs = dueAtMs;
    this.#timer = setTimeout(() => this.#frame(), Math.max(0, dueAtMs - performance.now()));
  }

  /**
   * Ends the frame that began last.
   * @returns processor time since it began, in ms
   */
  drawn(): number {
    const tookMs = this.#processorMs() - this.#beganMs;
    if (this.#isDrawing) this.#costMs += newestWeight * (tookMs - this.#costMs);
    this.#isDrawing = false;
    return tookMs;
  }

  /** Removes a waiting listener. */
  drop(listener: () => void): void {
    this.#waiting.delete(listener);
  }

  get #streamIntervalMs(): number {
    return Math.min(longestIntervalMs, Math.max(usualIntervalMs, this.#costMs / processorShare));
  }

  #frame(): void {
    const listeners = [...this.#waiting];
    this.#waiting.clear();
    this.#dueAtMs = Infinity;
    this.#isHurried = false;
    this.#frameAtMs = performance.now();
    this.#isDrawing = true;
    this.#beganMs = this.#processorMs();
    for (const listener of listeners) listener();
  }
}
