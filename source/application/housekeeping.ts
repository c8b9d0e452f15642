// What a server does for the store in the background: removes what no model needs, and learns the
// digests of large files that models refer to.
import { formatBytes } from "../base/byte-format.ts";
import { describeError } from "../base/product-error.ts";
import { hashReferences } from "../store/library/hash-references.ts";
import type { ModelStore } from "../store/library/model-store.ts";
import { prune } from "../store/library/prune.ts";

/** The first answer of a server that was just started goes first. */
const usualDelayMs = 15_000;

/**
 * Begins after a while.
 *
 * @returns a function that ends it, and resolves when nothing is done any more
 */
export function keepHouse(
  store: ModelStore,
  log: (text: string) => void,
  delayMs = usualDelayMs,
): () => Promise<void> {
  const abort = new AbortController();
  let running: Promise<void> = Promise.resolve();
  const timer = setTimeout(() => {
    running = tidy(store, log, abort.signal);
  }, delayMs);
  timer.unref();
  return async () => {
    clearTimeout(timer);
    abort.abort();
    await running;
  };
}

async function tidy(
  store: ModelStore,
  log: (text: string) => void,
  signal: AbortSignal,
): Promise<void> {
  try {
    const { removedBlobs, freedBytes, skipped } = await prune(store);
    if (freedBytes > 0) {
      log(`removed ${removedBlobs} unused files of the store: ${formatBytes(freedBytes)}`);
    }
    if (skipped?.reason === "damaged") {
      log(`nothing unused is removed from the store: cannot read ${skipped.manifests.join(", ")}`);
    }
    signal.throwIfAborted();
    const hashed = await hashReferences(store, signal);
    if (hashed > 0) log(`computed the digests of ${hashed} files that models refer to`);
  } catch (error) {
    if (!signal.aborted) log(`tidying the store failed: ${describeError(error)}`);
  }
}
