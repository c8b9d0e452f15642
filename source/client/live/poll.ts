// Repeats a task while the screen is shown, one run at a time.

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
   * @param shareMaximum share of the time to spend working: slow work is done less often. Defaults to 1.
   */
  constructor(work: () => Promise<void>, intervalMs: number, shareMaximum = 1) {
    this.#work = work;
    this.#intervalMs = intervalMs;
    this.#shareMaximum = shareMaximum;
  }

  /** Runs at once, then repeatedly. */
  start(): void {
    if (this.#isOn) return;
    this.#isOn = true;
    void this.now();
  }

  stop(): void {
    this.#isOn = false;
    clearTimeout(this.#timer);
  }

  /** Runs once, starting no earlier than now: a run in progress may have read older data. */
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
