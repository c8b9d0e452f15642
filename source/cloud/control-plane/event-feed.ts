// Event feed that late readers receive from the beginning.

const usualMost = 10_000;

export interface EventLimit<T> {
  /** Selects events of unlimited number, such as log lines; all others are always kept. */
  isLine: (event: T) => boolean;
  /** Replaces the lines beyond the limit. */
  more: T;
  most?: number;
}

/** Delivers all events, in order, to any number of readers. */
export class EventFeed<T> {
  readonly #events: T[] = [];
  readonly #waiting = new Set<() => void>();
  readonly #limit: EventLimit<T>;
  #lines = 0;
  #isEnded = false;

  constructor(limit: EventLimit<T>) {
    this.#limit = limit;
  }

  add(event: T): void {
    if (this.#isEnded) return;
    const { isLine, more, most = usualMost } = this.#limit;
    // A server's start-up output may be endless, so only its first lines are kept.
    if (isLine(event)) this.#lines += 1;
    if (!isLine(event) || this.#lines <= most) this.#events.push(event);
    else if (this.#lines === most + 1) this.#events.push(more);
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
