// Fetched byte ranges of a file, and how the rest is split into parts.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ByteRanges } from "../../../source/store/hub/download/byte-ranges.ts";
import { type Part, PartQueue } from "../../../source/store/hub/download/part-queue.ts";

const size = 60;
const ranges = fc.array(
  fc.tuple(fc.nat(size), fc.nat(size)).map(([a, b]) => ({
    start: Math.min(a, b),
    end: Math.max(a, b),
  })),
);

/** The plain way to say the same: one flag for each byte. */
function flags(list: Iterable<{ start: number; end: number }>): boolean[] {
  const bytes = Array.from({ length: size }, () => false);
  for (const { start, end } of list) bytes.fill(true, start, end);
  return bytes;
}

test("ranges added in any order cover the same bytes, and never touch each other", () => {
  fc.assert(
    fc.property(ranges, (list) => {
      const there = new ByteRanges(list);
      const bytes = flags(list);
      expect(flags(there.list())).toEqual(bytes);
      expect(flags(there.missing(size))).toEqual(bytes.map((byte) => !byte));
      expect(there.total).toBe(bytes.filter(Boolean).length);
      expect(there.front).toBe([...bytes, false].indexOf(false));
      const edges = there.list().flatMap(({ start, end }) => [start, end]);
      expect(edges.every((edge, at) => at === 0 || edge > (edges[at - 1] ?? 0))).toBe(true);
    }),
  );
});

describe("parts", () => {
  const sizes = { connections: 4, smallestBytes: 10, largestBytes: 100 };
  const still = { now: () => 0 };

  function takeAll(queue: PartQueue): Part[] {
    const parts: Part[] = [];
    for (let part = queue.take(); part !== undefined; part = queue.take()) parts.push(part);
    return parts;
  }

  test("are exactly what is missing, in order", () => {
    fc.assert(
      fc.property(ranges, fc.integer({ min: 1, max: 9 }), (list, connections) => {
        const missing = new ByteRanges(list).missing(size);
        const parts = takeAll(
          new PartQueue(missing, { connections, smallestBytes: 3, largestBytes: 20 }, still),
        );
        expect(new ByteRanges(parts).list()).toEqual(missing);
        const total = parts.reduce((sum, { start, end }) => sum + end - start, 0);
        expect(total).toBe(new ByteRanges(missing).total);
      }),
    );
  });

  test("of a small file are one, of an empty one none", () => {
    const small = new PartQueue([{ start: 0, end: 15 }], sizes, still);
    expect(small.connections).toBe(1);
    expect(takeAll(small)).toMatchObject([{ start: 0, end: 15 }]);
    expect(takeAll(new PartQueue([], sizes, still))).toEqual([]);
  });

  test("are no larger than allowed, so that they arrive roughly in order", () => {
    const queue = new PartQueue([{ start: 0, end: 1000 }], sizes, still);
    expect(queue.connections).toBe(4);
    for (const { start, end } of takeAll(queue)) expect(end - start).toBeLessThanOrEqual(125);
  });

  test("become smaller towards the end, so that all connections finish together", () => {
    const queue = new PartQueue([{ start: 0, end: 1000 }], sizes, still);
    const lengths = takeAll(queue).map(({ start, end }) => end - start);
    expect(lengths).toEqual(lengths.toSorted((a, b) => b - a));
    expect(lengths.at(-1)).toBeLessThan(30);
  });

  describe("of a slow connection", () => {
    const megabyte = 1024 ** 2;
    let nowMs = 0;
    const clock = { now: () => nowMs };
    const large = { connections: 2, smallestBytes: 8 * megabyte, largestBytes: 8 * megabyte };

    test("are shared with an idle one", () => {
      nowMs = 0;
      const queue = new PartQueue([{ start: 0, end: 16 * megabyte }], large, clock);
      const slow = queue.take();
      const quick = queue.take();
      if (slow === undefined || quick === undefined) throw new Error("two parts were expected");
      slow.position += 2 * megabyte;
      queue.finish(quick);
      nowMs = 10_000;
      const second = queue.take();
      expect(second).toMatchObject({ start: 5 * megabyte, end: 8 * megabyte });
      expect(slow.end).toBe(5 * megabyte);
    });

    test("are left alone when nearly done", () => {
      nowMs = 0;
      const queue = new PartQueue([{ start: 0, end: 16 * megabyte }], large, clock);
      const [first, second] = [queue.take(), queue.take()];
      if (first === undefined || second === undefined) throw new Error("two parts were expected");
      first.position = first.end - megabyte;
      queue.finish(second);
      nowMs = 1000;
      expect(queue.take()).toBeUndefined();
    });
  });
});
