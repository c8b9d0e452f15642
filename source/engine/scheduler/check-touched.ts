// Content check of model files whose modification date changed since the model was created: they may
// have been merely touched.
import path from "node:path";
import { AsyncQueue } from "../../base/async-queue.ts";
import { shownModel } from "../../base/display-text.ts";
import type { ResolvedModel } from "../../store/model-catalog.ts";
import type { CanonicalEvent } from "../request.ts";
import { cancelled } from "./until-aborted.ts";

type Checking = Extract<CanonicalEvent, { type: "checking" }>;

/**
 * Yields an event for each percent of a file, the first before anything is read.
 *
 * @throws ProductError `STORE_REFERENCE_CHANGED`, `ENGINE_CANCELLED`
 */
export async function* checkTouched(
  { name, touched }: Pick<ResolvedModel, "name" | "touched">,
  signal: AbortSignal,
  log: (text: string) => void,
): AsyncGenerator<Checking> {
  for (const file of touched) {
    log(`checking ${file.path}, which was modified after ${shownModel(name)} was created`);
    const events = new AsyncQueue<Checking>();
    const { sizeBytes: totalBytes } = file;
    let percent = -1;
    const onBytes = (completedBytes: number) => {
      const now = Math.floor((completedBytes / totalBytes) * 100);
      if (now === percent) return;
      percent = now;
      events.push({
        type: "checking",
        file: path.basename(file.path),
        completedBytes,
        totalBytes,
      });
    };
    onBytes(0);
    file.check({ signal, onBytes }).then(
      () => events.end(),
      (error: unknown) => events.fail(signal.aborted ? cancelled() : error),
    );
    yield* events;
  }
}
