// Shows the progress of long work on standard error, and lets Ctrl+C and other signals stop it.
import type { ProgressRecord, Work } from "../application/model-library.ts";
import { parseByteRate } from "./byte-rate.ts";
import type { Flags } from "./flags.ts";
import { ProgressLines } from "./progress-lines.ts";

/** Ctrl+C, the end of the terminal, and a system that shuts down. */
const endingSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

const wholeModel = "pulling model";

/** A message for `whenStopped`, for downloads from the hub. */
export const partialDownloadKept =
  "Stopped. The partial download is kept; run the command again to resume.";

/**
 * A signal stops the work, which cleans up: partial downloads are kept, partial builds are not.
 * @param whenStopped the message to print then
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
    // Ignores errors of cancelled work: the user knows why.
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
