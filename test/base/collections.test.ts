// Queue, ring buffer and error class.
import { describe, expect, test } from "vitest";
import { AsyncQueue } from "../../source/base/async-queue.ts";
import { describeError, ProductError } from "../../source/base/product-error.ts";
import { RingBuffer } from "../../source/base/ring-buffer.ts";

describe("AsyncQueue", () => {
  test("returns pushed items in order, then ends", async () => {
    const queue = new AsyncQueue<number>();
    queue.push(1);
    queue.push(2);
    queue.end();
    expect(await allOf(queue)).toEqual([1, 2]);
  });

  test("waits for later items", async () => {
    const queue = new AsyncQueue<string>();
    const reading = allOf(queue);
    await Promise.resolve();
    queue.push("a");
    await Promise.resolve();
    queue.push("b");
    queue.end();
    expect(await reading).toEqual(["a", "b"]);
  });

  test("fails after earlier items, and once", async () => {
    const queue = new AsyncQueue<number>();
    queue.push(1);
    queue.fail(new Error("broken"));
    expect(await queue.next()).toEqual({ value: 1, done: false });
    await expect(queue.next()).rejects.toThrow("broken");
    expect(await queue.next()).toEqual({ value: undefined, done: true });
  });

  test("drops items pushed after the end", async () => {
    const queue = new AsyncQueue<number>();
    queue.end();
    queue.push(1);
    queue.fail(new Error("late"));
    expect(await queue.next()).toEqual({ value: undefined, done: true });
  });

  test("merges into the newest item that was not taken", async () => {
    const queue = new AsyncQueue<string>();
    const append = (last: string) => `${last}+`;
    expect(queue.replaceLast(append)).toBe(false);
    queue.push("a");
    queue.push("b");
    expect(queue.replaceLast(append)).toBe(true);
    expect(queue.replaceLast(() => undefined)).toBe(false);
    queue.end();
    expect(await allOf(queue)).toEqual(["a", "b+"]);
  });
});

describe("a queue whose consumer", () => {
  test("reads to the end is closed once", async () => {
    let closed = 0;
    const queue = new AsyncQueue<number>(() => {
      closed += 1;
    });
    queue.push(1);
    queue.end();
    expect(await allOf(queue)).toEqual([1]);
    await queue.return();
    expect(closed).toBe(1);
  });

  test("leaves the loop is closed and drops its items", async () => {
    let isClosed = false;
    const queue = new AsyncQueue<number>(() => {
      isClosed = true;
    });
    queue.push(1);
    queue.push(2);
    for await (const item of queue) {
      expect(item).toBe(1);
      break;
    }
    queue.push(3);
    expect(isClosed).toBe(true);
    expect(await queue.next()).toEqual({ value: undefined, done: true });
  });
});

test("RingBuffer keeps the last items", () => {
  const ring = new RingBuffer<number>(3);
  for (const item of [1, 2, 3, 4, 5]) ring.push(item);
  expect(ring.toArray()).toEqual([3, 4, 5]);
  ring.toArray().pop();
  expect(ring.toArray()).toHaveLength(3);
});

describe("ProductError", () => {
  const definition = { code: "X", status: 400, exitCode: 2, description: "" };

  test.each([
    ["It broke.", "Mend it.", "It broke. Mend it."],
    ["It broke", "Mend it.", "It broke. Mend it."],
    ["Is it broken?", "Look.", "Is it broken? Look."],
    ["It broke.", undefined, "It broke."],
  ])("%j with the hint %j reads %j", (message, hint, sentence) => {
    const error = new ProductError(definition, { message, ...(hint !== undefined && { hint }) });
    expect(error.sentence).toBe(sentence);
    expect(describeError(error)).toBe(sentence);
  });

  test("any thrown value can be described", () => {
    expect(describeError(new Error("plain"))).toBe("plain");
    expect(describeError("text")).toBe("text");
    expect(describeError(undefined)).toBe("undefined");
  });
});

async function allOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
