// Grammars that were written, kept: an agent sends the same tools with every request.
import { createHash } from "node:crypto";

const mostKept = 16;
/** The last used come last. */
const kept = new Map<string, string>();

/**
 * A grammar that follows from a description alone.
 *
 * @param description a JSON value; the order of its keys counts
 * @param write writes the grammar where it is not known; what it throws is not kept
 */
export function keptGrammar(description: unknown, write: () => string): string {
  const key = digestOf(description);
  const grammar = kept.get(key) ?? write();
  kept.delete(key);
  for (const oldest of kept.keys()) {
    if (kept.size < mostKept) break;
    kept.delete(oldest);
  }
  kept.set(key, grammar);
  return grammar;
}

/** A short text in place of a JSON value, which may be large. */
export function digestOf(value: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(value) ?? "")
    .digest("base64");
}
