// Events of one thing that goes on: those who come late hear them from the beginning.

const mostEvents = 10_000;

/** Any number of readers; each hears all, in order, until the end. */
export class EventFeed<T> {
  readonly #events: T[] = [];
  readonly #waiting = new Set<() => void>();
  #isEnded = false;
  readonly #isLast: (event: T) => boolean;

  /** @param isLast tells the event that must never be missing */
  constructor(isLast: (event: T) => boolean) {
    this.#isLast = isLast;
  }

  add(event: T): void {
    if (this.#isEnded) return;
    // What a server writes while it starts may have no end: the first of it is what is kept.
    if (this.#events.length < mostEvents || this.#isLast(event)) this.#events.push(event);
    this.#wake();
  }

  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  async *read(signal?: AbortSignal): AsyncGenerator<T> {
    const wake = () => this.#wake();
    signal?.addEventListener("abort", wake);
    try {
      for (let next = 0; !signal?.aborted; ) {
        const event = this.#events[next];
        if (event !== undefined) {
          next += 1;
          yield event;
        } else if (this.#isEnded) {
          return;
        } else {
          await new Promise<void>((resolve) => this.#waiting.add(resolve));
        }
      }
    } finally {
      signal?.removeEventListener("abort", wake);
    }
  }

  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resolve of waiting) resolve();
  }
}
