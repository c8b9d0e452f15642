// A reply that goes on until the client leaves: one JSON line for each change.
import { setTimeout as wait } from "node:timers/promises";
import type { FastifyReply } from "fastify";
import { clientSignal } from "./run-request.ts";
import { StreamWriter } from "./stream-writer.ts";

export interface Feed<T> {
  /** What is sent at once, by key. */
  initial: Iterable<readonly [key: string, value: T]>;
  /**
   * Begins to tell of changes. A later value takes the place of an earlier one of the same key that
   * has not been sent: a slow reader costs memory for one value of each key, and misses only
   * what is outdated.
   *
   * @returns a function that ends it
   */
  subscribe: (tell: (key: string, value: T) => void) => () => void;
}

/** Between two sendings: a reader is told ten times a second at most. */
const restMs = 100;

/** @param stopping ends the reply when the server stops */
export async function followLines<T>(
  reply: FastifyReply,
  feed: Feed<T>,
  stopping: AbortSignal,
): Promise<FastifyReply> {
  const signal = AbortSignal.any([clientSignal(reply), stopping]);
  const writer = new StreamWriter(reply, "application/x-ndjson", signal);
  const waiting = new Map(feed.initial);
  let changed = Promise.withResolvers<void>();
  const wake = () => changed.resolve();
  signal.addEventListener("abort", wake, { once: true });
  const unsubscribe = feed.subscribe((key, value) => {
    waiting.set(key, value);
    wake();
  });
  try {
    // The head goes out at once: the reader knows that it is connected.
    await writer.write("");
    while (!signal.aborted) {
      if (waiting.size === 0) await changed.promise;
      changed = Promise.withResolvers();
      const lines = Array.from(waiting.values(), (value) => `${JSON.stringify(value)}\n`);
      waiting.clear();
      if (lines.length > 0) await writer.write(lines.join(""));
      // An abort ends the rest early.
      await wait(restMs, undefined, { signal }).catch(() => {});
    }
  } finally {
    unsubscribe();
    writer.end();
  }
  return reply;
}
