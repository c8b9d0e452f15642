// Cache of grammars, since agents send the same tools with every request.
import { createHash } from "node:crypto";

const maxCached = 16;
/** Least recently used first. */
const cache = new Map<string, string>();

/**
 * Returns the grammar that follows from a description alone, from the cache if possible.
 *
 * @param description JSON value; the order of its keys counts
 * @param write creates the grammar if it is not cached; its errors are not cached
 */
export function cachedGrammar(description: unknown, write: () => string): string {
  const key = digestOf(description);
  const grammar = cache.get(key) ?? write();
  cache.delete(key);
  for (const oldest of cache.keys()) {
    if (cache.size < maxCached) break;
    cache.delete(oldest);
  }
  cache.set(key, grammar);
  return grammar;
}

/** Returns a short digest of a JSON value, which may be large. */
export function digestOf(value: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(value) ?? "")
    .digest("base64");
}
