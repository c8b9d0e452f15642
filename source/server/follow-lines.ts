// A streamed reply that lasts until the client leaves: one JSON line per change.
import { setTimeout as wait } from "node:timers/promises";
import type { FastifyReply } from "fastify";
import { quoteShort } from "../base/display-text.ts";
import { invalidField } from "./errors.ts";
import { clientSignal } from "./run-request.ts";
import { StreamWriter } from "./stream-writer.ts";

interface FollowQuery {
  follow?: string;
}

interface Feed<T> {
  /** Values sent at once, by key. */
  initial: Iterable<readonly [key: string, value: T]>;
  /**
   * Streams changes. A later value replaces an unsent earlier one of the same key: a slow reader
   * costs memory for one value per key, and misses only outdated ones.
   *
   * @returns a function that ends the subscription
   */
  subscribe: (tell: (key: string, value: T) => void) => () => void;
}

/** Minimum time between writes: at most ten a second. */
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
    // Sends the head at once, so that the reader knows it is connected.
    await writer.write("");
    while (!signal.aborted) {
      if (waiting.size === 0) await changed.promise;
      changed = Promise.withResolvers();
      const lines = Array.from(waiting.values(), (value) => `${JSON.stringify(value)}\n`);
      waiting.clear();
      if (lines.length > 0) await writer.write(lines.join(""));
      // An abort stops the wait early.
      await wait(restMs, undefined, { signal }).catch(() => {});
    }
  } finally {
    unsubscribe();
    writer.end();
  }
  return reply;
}

/**
 * Tells if a request asks for a stream; `?follow` alone means true.
 *
 * @throws ProductError `SERVER_FIELD_INVALID`
 */
export function isFollowed({ method, query }: { method: string; query: FollowQuery }): boolean {
  const { follow } = query;
  if (follow === undefined || follow === "false" || follow === "0") return false;
  if (follow === "" || follow === "true" || follow === "1") return method === "GET";
  throw invalidField("follow", `'follow' is ${quoteShort(follow)}, but must be true or false.`);
}
