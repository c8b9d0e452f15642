// Shows the progress of long work on standard error; Ctrl+C and other signals stop it.
import type { ProgressRecord, Work } from "../application/models/model-library.ts";
import { parseByteSize } from "../configuration/setting-readers.ts";
import { usageError } from "./errors.ts";
import type { Flags } from "./flags.ts";
import { interruptible, isInterruption } from "./interruptible.ts";
import { ProgressLines } from "./progress-lines.ts";

/** Ctrl+C, a closed terminal, and a system that shuts down. */
const endingSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

const wholeModel = "pulling model";

/** Message for `whenStopped` of hub downloads. */
export const partialDownloadKept =
  "Stopped. The partial download is kept; run the command again to resume.";

/**
 * Runs work until it ends or a signal stops it; partial downloads are kept, partial builds are not.
 *
 * @param whenStopped message to print after a signal
 */
export async function withProgress<T>(
  { limitRate }: Flags,
  start: (work: Work) => Promise<T>,
  whenStopped?: string,
): Promise<T> {
  const limit = limitRate === undefined ? undefined : parseByteRate(limitRate);
  const lines = new ProgressLines(process.stderr);
  const work = (signal: AbortSignal) =>
    start({
      onProgress: (record) => show(lines, record),
      signal,
      ...(limit !== undefined && { limitRateBytesPerSecond: limit }),
    });
  try {
    const result = await interruptible(work, endingSignals);
    lines.finish();
    return result;
  } catch (error) {
    lines.clear();
    if (isInterruption(error) && whenStopped !== undefined) {
      process.stderr.write(`${whenStopped}\n`);
    }
    throw error;
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

/**
 * Reads bytes per second: `500k`, `5M`, `5 MiB/s`.
 *
 * @throws ProductError `COMMAND_USAGE`
 */
function parseByteRate(text: string): number {
  const rate = parseByteSize(text.trim().replace(/\/s$/i, "")) ?? 0;
  if (rate >= 1) return rate;
  throw usageError(
    `--limit-rate ${text} is not a rate.`,
    "Use bytes per second, such as 500k, 5M or 1.5G.",
  );
}
