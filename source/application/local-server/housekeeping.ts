// Background work of a server: removes unused files from the store, computes digests of large referenced
// files, and removes surplus stored prompts and unfinished files of killed programs.
import { formatBytes } from "../../base/formats.ts";
import { describeError } from "../../base/product-error.ts";
import { removeAbandoned } from "../../base/unfinished-files.ts";
import type { PromptCacheSettings } from "../../engine/runner/load-settings.ts";
import { PromptFolder } from "../../engine/text/prompt-folder.ts";
import type { ModelStore } from "../../store/library/model-store.ts";
import { hashReferences, prune } from "../../store/library/upkeep.ts";

/** Does not delay the first answers of a new server. */
const usualDelayMs = 15_000;
/** Models are created and replaced while a server runs. */
const usualPauseMs = 10 * 60_000;

export interface Housekeeping {
  promptCache?: PromptCacheSettings;
  /** May contain unfinished files of killed programs. */
  stateFolder?: string | undefined;
  delayMs?: number;
  pauseMs?: number;
}

/**
 * Runs the work after a delay, then at intervals.
 *
 * @returns a function that stops it and resolves when running work has ended
 */
export function startHousekeeping(
  store: ModelStore,
  log: (text: string) => void,
  { promptCache, stateFolder, delayMs = usualDelayMs, pauseMs = usualPauseMs }: Housekeeping = {},
): () => Promise<void> {
  const abort = new AbortController();
  let running: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout;
  const troubles = new Set<string>();
  const logOnce = (text: string) => {
    if (!troubles.has(text)) log(text);
    troubles.add(text);
  };
  const attempt = async (what: string, work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (error) {
      if (!abort.signal.aborted) logOnce(`cleaning up ${what} failed: ${describeError(error)}`);
    }
  };
  const tidyIn = (waitMs: number) => {
    timer = setTimeout(() => {
      running = Promise.all([
        attempt("the store", () => tidy(store, log, logOnce, abort.signal)),
        promptCache &&
          attempt("the stored prompts", () =>
            new PromptFolder(promptCache.folder).tidy(promptCache),
          ),
        stateFolder && attempt(stateFolder, () => removeAbandoned(stateFolder)),
      ]).then(() => {
        if (!abort.signal.aborted) tidyIn(pauseMs);
      });
    }, waitMs);
    timer.unref();
  };
  tidyIn(delayMs);
  return async () => {
    abort.abort();
    clearTimeout(timer);
    await running;
  };
}

async function tidy(
  store: ModelStore,
  log: (text: string) => void,
  logOnce: (text: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const { removedBlobs, freedBytes, skipped } = await prune(store);
  if (removedBlobs > 0 || freedBytes > 0) {
    log(`removed ${removedBlobs} unused files from the store: ${formatBytes(freedBytes)}`);
  }
  if (skipped?.reason === "damaged") {
    logOnce(`unused files of the store are kept: cannot read ${skipped.manifests.join(", ")}`);
  }
  signal.throwIfAborted();
  const hashed = await hashReferences(store, signal);
  if (hashed > 0) log(`computed the digests of ${hashed} referenced model files`);
}
