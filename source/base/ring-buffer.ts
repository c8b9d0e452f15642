// Buffer of the last N items of a series.

export class RingBuffer<T> {
  readonly capacity: number;
  #items: T[] = [];
  #dropped = 0;

  /** @param capacity number of items to keep; at least 1 */
  constructor(capacity: number) {
    this.capacity = Math.max(1, Math.floor(capacity));
  }

  push(item: T): void {
    this.#items.push(item);
    if (this.#items.length > this.capacity) {
      this.#items.shift();
      this.#dropped += 1;
    }
  }

  /** Oldest first; a copy. */
  toArray(): T[] {
    return [...this.#items];
  }

  get size(): number {
    return this.#items.length;
  }

  /** Number of items dropped at the old end. */
  get dropped(): number {
    return this.#dropped;
  }
}
