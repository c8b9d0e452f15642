// The byte ranges of a file that have been fetched: disjoint, in order.

/** From `start` up to but without `end`. */
export interface ByteRange {
  start: number;
  end: number;
}

export class ByteRanges {
  #ranges: ByteRange[] = [];

  constructor(ranges: Iterable<ByteRange> = []) {
    for (const { start, end } of ranges) this.add(start, end);
  }

  add(start: number, end: number): void {
    if (end <= start) return;
    const before = this.#ranges.filter((range) => range.end < start);
    const after = this.#ranges.filter((range) => range.start > end);
    const touched = this.#ranges.slice(before.length, this.#ranges.length - after.length);
    const merged = {
      start: Math.min(start, touched[0]?.start ?? start),
      end: Math.max(end, touched.at(-1)?.end ?? end),
    };
    this.#ranges = [...before, merged, ...after];
  }

  /** A copy, in order. */
  list(): ByteRange[] {
    return this.#ranges.map((range) => ({ ...range }));
  }

  /** The missing ranges of a file of this size, in order. */
  missing(sizeBytes: number): ByteRange[] {
    const starts = [0, ...this.#ranges.map(({ end }) => end)];
    const ends = [...this.#ranges.map(({ start }) => start), sizeBytes];
    return starts.flatMap((start, at) => {
      const end = ends[at] ?? sizeBytes;
      return start < end ? [{ start, end }] : [];
    });
  }

  /** Number of bytes in all ranges. */
  get total(): number {
    return this.#ranges.reduce((sum, { start, end }) => sum + end - start, 0);
  }

  /** Number of bytes from the beginning up to the first gap. */
  get front(): number {
    const [first] = this.#ranges;
    return first?.start === 0 ? first.end : 0;
  }
}
