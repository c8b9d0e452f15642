// Splits the missing bytes of a file into parts for several connections; an idle connection takes
// over half of a slow one's part.
import { type Clock, systemClock } from "../../../base/clock.ts";
import type { ByteRange } from "./byte-ranges.ts";

/** A part being fetched: the bytes from `position` to `end` are missing. */
export interface Part {
  readonly start: number;
  readonly takenMs: number;
  position: number;
  /** Shrinks when another connection takes the second half over. */
  end: number;
}

export interface PartSizes {
  connections: number;
  /** Parts are not split below this size: each request has a cost. */
  smallestBytes: number;
  /** Parts arrive roughly in order, so smaller ones let the hash follow more closely. */
  largestBytes: number;
}

export const defaultPartSizes: PartSizes = {
  connections: 8,
  smallestBytes: 4 * 1024 ** 2,
  largestBytes: 16 * 1024 ** 2,
};

/** Parts that finish sooner are left alone: taking over breaks a connection. */
const patienceMs = 2000;
const smallestTakeoverBytes = 256 * 1024;

export class PartQueue {
  readonly #waiting: ByteRange[];
  readonly #running = new Set<Part>();
  readonly #sizes: PartSizes;
  #waitingBytes: number;
  readonly #clock: Pick<Clock, "now">;
  readonly #done = Promise.withResolvers<void>();
  /** Number of connections to open. */
  readonly connections: number;
  /** Resolves when the last part is finished. */
  readonly done: Promise<void> = this.#done.promise;

  constructor(
    missing: readonly ByteRange[],
    sizes: PartSizes,
    clock: Pick<Clock, "now"> = systemClock,
  ) {
    this.#clock = clock;
    this.#sizes = sizes;
    this.#waitingBytes = missing.reduce((sum, { start, end }) => sum + end - start, 0);
    this.connections = Math.max(
      1,
      Math.min(sizes.connections, Math.floor(this.#waitingBytes / sizes.smallestBytes)),
    );
    this.#waiting = missing.map((range) => ({ ...range }));
    this.#checkDone();
  }

  /**
   * Returns the next part in order, or the second half of the slowest running one; undefined if
   * there is no work now.
   */
  take(): Part | undefined {
    const part = this.#cutNext() ?? this.#takeOver();
    if (part !== undefined) this.#running.add(part);
    return part;
  }

  /** Ends a part, complete or not. */
  finish(part: Part): void {
    this.#running.delete(part);
    this.#checkDone();
  }

  get isDone(): boolean {
    return this.#waiting.length === 0 && this.#running.size === 0;
  }

  #checkDone(): void {
    if (this.isDone) this.#done.resolve();
  }

  #cutNext(): Part | undefined {
    const [next] = this.#waiting;
    if (next === undefined) return undefined;
    const rest = next.end - next.start;
    const partBytes = this.#nextPartBytes();
    // Avoids a tiny remainder: a rest slightly larger than a part becomes one part.
    const length = rest < partBytes * 1.25 ? rest : partBytes;
    const part = this.#newPart(next.start, next.start + length);
    next.start += length;
    this.#waitingBytes -= length;
    if (next.start === next.end) this.#waiting.shift();
    return part;
  }

  /** Parts become smaller towards the end, so that all connections and the hash finish together. */
  #nextPartBytes(): number {
    const { smallestBytes, largestBytes } = this.#sizes;
    const halfShare = Math.ceil(this.#waitingBytes / this.connections / 2);
    const share = this.connections === 1 ? this.#waitingBytes : halfShare;
    return Math.max(smallestBytes, Math.min(largestBytes, share));
  }

  #takeOver(): Part | undefined {
    const [slowest] = [...this.#running]
      .filter((part) => part.end - part.position >= 2 * smallestTakeoverBytes)
      .map((part) => ({ part, restMs: this.#restMs(part) }))
      .sort((a, b) => b.restMs - a.restMs);
    if (slowest === undefined || slowest.restMs < patienceMs) return undefined;
    const { part } = slowest;
    const middle = part.position + Math.ceil((part.end - part.position) / 2);
    const second = this.#newPart(middle, part.end);
    part.end = middle;
    return second;
  }

  /** Estimates the time a part still needs at its speed so far. */
  #restMs({ start, position, end, takenMs }: Part): number {
    const elapsedMs = this.#clock.now() - takenMs;
    return ((end - position) / Math.max(1, position - start)) * elapsedMs;
  }

  #newPart(start: number, end: number): Part {
    return { start, position: start, end, takenMs: this.#clock.now() };
  }
}
