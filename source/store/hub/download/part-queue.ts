// Cuts what lacks of a file into parts for several connections, and lets an idle one help a slow one.
import type { ByteRange } from "./byte-ranges.ts";

/** A part being fetched: the bytes from `position` up to `end` are still to come. */
export interface Part {
  position: number;
  /** Shrinks when another connection takes the second half over. */
  end: number;
}

export interface PartSizes {
  connections: number;
  /** A part is not cut smaller: a request has its price. */
  smallestBytes: number;
  /** Parts come in order, so smaller ones let the hash follow more closely. */
  largestBytes: number;
}

export const defaultPartSizes: PartSizes = {
  connections: 8,
  smallestBytes: 4 * 1024 ** 2,
  largestBytes: 64 * 1024 ** 2,
};

/** What is left of a running part before the half of it is worth a request of its own. */
const smallestTakeoverBytes = 512 * 1024;

export class PartQueue {
  readonly #waiting: ByteRange[];
  readonly #running = new Set<Part>();
  readonly #partBytes: number;
  /** How many connections have something to do. */
  readonly connections: number;

  constructor(missing: readonly ByteRange[], sizes: PartSizes) {
    const total = missing.reduce((sum, { start, end }) => sum + end - start, 0);
    this.connections = Math.max(
      1,
      Math.min(sizes.connections, Math.floor(total / sizes.smallestBytes)),
    );
    const fair = Math.ceil(total / this.connections);
    this.#partBytes = Math.max(sizes.smallestBytes, Math.min(sizes.largestBytes, fair));
    this.#waiting = missing.map((range) => ({ ...range }));
  }

  /** The next part in order, or the second half of the largest one that runs; undefined: nothing to do. */
  take(): Part | undefined {
    const part = this.#cutNext() ?? this.#takeOver();
    if (part !== undefined) this.#running.add(part);
    return part;
  }

  /** The part has arrived or was given up. */
  finish(part: Part): void {
    this.#running.delete(part);
  }

  #cutNext(): Part | undefined {
    const [next] = this.#waiting;
    if (next === undefined) return undefined;
    const rest = next.end - next.start;
    // No crumb is left over: what lacks little of a part goes with it.
    const length = rest < this.#partBytes * 1.25 ? rest : this.#partBytes;
    const part = { position: next.start, end: next.start + length };
    next.start += length;
    if (next.start === next.end) this.#waiting.shift();
    return part;
  }

  #takeOver(): Part | undefined {
    let largest: Part | undefined;
    for (const part of this.#running) {
      if (largest === undefined || remaining(part) > remaining(largest)) largest = part;
    }
    if (largest === undefined || remaining(largest) < 2 * smallestTakeoverBytes) return undefined;
    const middle = largest.position + Math.ceil(remaining(largest) / 2);
    const part = { position: middle, end: largest.end };
    largest.end = middle;
    return part;
  }
}

function remaining(part: Part): number {
  return part.end - part.position;
}
