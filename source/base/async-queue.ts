// A queue between a producer that pushes and a consumer that awaits.

/** One producer, one consumer. Items wait until they are taken; `end` and `fail` come after them. */
export class AsyncQueue<T> implements AsyncIterableIterator<T> {
  #items: T[] = [];
  #ended = false;
  #error: unknown;
  #wake: (() => void) | undefined;

  push(item: T): void {
    if (this.#ended) return;
    this.#items.push(item);
    this.#notify();
  }

  /** The newest item that has not been taken, so that the producer can merge into it. */
  replaceLast(merge: (last: T) => T | undefined): boolean {
    const last = this.#items.at(-1);
    if (last === undefined) return false;
    const merged = merge(last);
    if (merged === undefined) return false;
    this.#items[this.#items.length - 1] = merged;
    return true;
  }

  end(): void {
    this.#ended = true;
    this.#notify();
  }

  fail(error: unknown): void {
    if (this.#ended) return;
    this.#error = error;
    this.end();
  }

  async next(): Promise<IteratorResult<T>> {
    while (this.#items.length === 0 && !this.#ended) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const item = this.#items.shift();
    if (item !== undefined) return { value: item, done: false };
    if (this.#error !== undefined) {
      const error = this.#error;
      this.#error = undefined;
      throw error;
    }
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #notify(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}
