// Seeded random numbers for one round, independent of earlier rounds.
import { createRandom, pick } from "../performance/random.ts";

export class Dice {
  readonly #next: () => number;

  /** @param seed any text */
  constructor(seed: string) {
    let hash = 0x811c9dc5;
    for (const unit of Buffer.from(seed)) hash = Math.imul(hash ^ unit, 0x01000193);
    this.#next = createRandom(hash);
  }

  /** Returns a whole number from 0 up to, but not including, the limit. */
  below(limit: number): number {
    return Math.floor((this.#next() / 2 ** 32) * limit);
  }

  chance(probability: number): boolean {
    return this.#next() / 2 ** 32 < probability;
  }

  pick<T>(list: readonly T[]): T {
    return pick(list, this.#next);
  }

  /** Returns a random subset of a list, in its order. */
  some<T>(list: readonly T[], probability = 0.5): T[] {
    return list.filter(() => this.chance(probability));
  }

  times<T>(count: number, make: (index: number) => T): T[] {
    return Array.from({ length: count }, (_, index) => make(index));
  }

  bytes(length: number): Buffer {
    return Buffer.from(this.times(length, () => this.below(256)));
  }
}
