// Shows on standard error what a long work does, and lets Ctrl+C and other ends of a process end it.
import type { ProgressRecord, Work } from "../application/model-library.ts";
import { parseByteRate } from "./byte-rate.ts";
import type { Flags } from "./flags.ts";
import { ProgressLines } from "./progress-lines.ts";

/** Ctrl+C, the end of the terminal, and a system that shuts down. */
const endingSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

const wholeModel = "pulling model";

/** For `whenStopped`, where something is fetched from the hub. */
export const fetchedIsKept =
  "Stopped: what was fetched is kept, and the same command goes on from there.";

/**
 * A signal stops it, and it tidies up: what was fetched is kept for the next time, half a build is not.
 *
 * @param whenStopped what to say then
 */
export async function withProgress<T>(
  { limitRate }: Flags,
  start: (work: Work) => Promise<T>,
  whenStopped?: string,
): Promise<T> {
  const limit = limitRate === undefined ? undefined : parseByteRate(limitRate);
  const lines = new ProgressLines(process.stderr);
  const abort = new AbortController();
  const interrupt = () => abort.abort();
  for (const name of endingSignals) process.once(name, interrupt);
  try {
    const result = await start({
      onProgress: (record) => show(lines, record),
      signal: abort.signal,
      ...(limit !== undefined && { limitRateBytesPerSecond: limit }),
    });
    lines.finish();
    return result;
  } catch (error) {
    lines.clear();
    if (!abort.signal.aborted) throw error;
    if (whenStopped !== undefined) process.stderr.write(`${whenStopped}\n`);
    // Whatever the work made of being stopped: the user knows why.
    throw abort.signal.reason;
  } finally {
    for (const name of endingSignals) process.off(name, interrupt);
  }
}

function show(lines: ProgressLines, record: ProgressRecord): void {
  const { status, digest, total, completed = 0, overall_total: overall = 0 } = record;
  if (total === undefined) lines.status(status, digest ?? status);
  // The files of one model are one download.
  else if (digest !== undefined && overall > total) {
    lines.bar(wholeModel, wholeModel, record.overall_completed ?? 0, overall);
  } else lines.bar(digest ?? status, status, completed, total);
}
