// A queue between a producer that pushes and a consumer that awaits.

/** One producer, one consumer. Items wait until they are taken; `end` and `fail` come after them. */
export class AsyncQueue<T> implements AsyncIterableIterator<T> {
  #items: T[] = [];
  #ended = false;
  #error: unknown;
  #wake: (() => void) | undefined;
  #onClose: (() => void) | undefined;

  /** @param onClose called once, when the consumer has reached the end or left the loop */
  constructor(onClose?: () => void) {
    this.#onClose = onClose;
  }

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
    this.#close();
    if (this.#error !== undefined) {
      const error = this.#error;
      this.#error = undefined;
      throw error;
    }
    return { value: undefined, done: true };
  }

  /** Called when the consumer leaves a loop: drops all items. */
  async return(): Promise<IteratorResult<T>> {
    this.#items = [];
    this.#error = undefined;
    this.end();
    this.#close();
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #close(): void {
    this.#onClose?.();
    this.#onClose = undefined;
  }

  #notify(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}
