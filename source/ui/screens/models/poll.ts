// Does a work again and again while somebody looks, never twice at the same time.

export class Poll {
  readonly #work: () => Promise<void>;
  readonly #intervalMs: number;
  #timer: NodeJS.Timeout | undefined;
  #isOn = false;
  #running: Promise<void> | undefined;
  #isWanted = false;

  /** @param work never rejects */
  constructor(work: () => Promise<void>, intervalMs: number) {
    this.#work = work;
    this.#intervalMs = intervalMs;
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
    do {
      this.#isWanted = false;
      await this.#work();
    } while (this.#isWanted);
    this.#running = undefined;
    if (!this.#isOn) return;
    this.#timer = setTimeout(() => void this.now(), this.#intervalMs);
    this.#timer.unref();
  }
}
