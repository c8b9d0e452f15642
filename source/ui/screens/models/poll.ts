// Repeats a task while the screen is in sight, never twice at the same time.

export class Poll {
  readonly #work: () => Promise<void>;
  readonly #intervalMs: number;
  readonly #shareMaximum: number;
  #timer: NodeJS.Timeout | undefined;
  #isOn = false;
  #running: Promise<void> | undefined;
  #isWanted = false;

  /**
   * @param work never rejects
   * @param shareMaximum of the time: a work that takes long is done less often. Defaults to all of it.
   */
  constructor(work: () => Promise<void>, intervalMs: number, shareMaximum = 1) {
    this.#work = work;
    this.#intervalMs = intervalMs;
    this.#shareMaximum = shareMaximum;
  }

  /** At once, and then again and again. */
  start(): void {
    if (this.#isOn) return;
    this.#isOn = true;
    void this.now();
  }

  stop(): void {
    this.#isOn = false;
    clearTimeout(this.#timer);
  }

  /** Once, beginning no earlier than now; a work that runs already has seen older things. */
  async now(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#running !== undefined) {
      this.#isWanted = true;
      await this.#running;
      return;
    }
    this.#running = this.#runWanted();
    await this.#running;
  }

  async #runWanted(): Promise<void> {
    let tookMs = 0;
    do {
      this.#isWanted = false;
      const startedMs = performance.now();
      await this.#work();
      tookMs = performance.now() - startedMs;
    } while (this.#isWanted);
    this.#running = undefined;
    if (!this.#isOn) return;
    const pauseMs = Math.max(this.#intervalMs, tookMs / this.#shareMaximum);
    this.#timer = setTimeout(() => void this.now(), pauseMs);
    this.#timer.unref();
  }
}
