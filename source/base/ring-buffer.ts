// Buffer of the last N items of a series.

export class RingBuffer<T> {
  readonly #capacity: number;
  #items: T[] = [];

  /** @param capacity number of items to keep; at least 1 */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  push(item: T): void {
    this.#items.push(item);
    if (this.#items.length > this.#capacity) this.#items.shift();
  }

  /** Oldest first; a copy. */
  toArray(): T[] {
    return [...this.#items];
  }
}
