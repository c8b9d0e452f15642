// Waits for another process that downloads the same file, for hours if need be: reports it, shows
// the other's progress, and can be cancelled.
import type { BlobFolder } from "../library/blob-folder.ts";
import type { FileReport } from "./download/download-file.ts";
import { resumableBytes } from "./download/download-notes.ts";
import type { SourceFile } from "./download/file-source.ts";
import { cancelled } from "./retry.ts";

export type Locks = Pick<BlobFolder, "withLock">;

export interface WantedFile {
  file: SourceFile & { sha256?: string };
  /** Target path; the downloading process has its notes next to it. */
  target: string;
  signal: AbortSignal;
  report: (report: FileReport) => void;
}

/** Shorter waits are not reported. */
const patienceMs = 300;
/** Interval at which the other process's progress is read; its notes are written as often. */
const lookMs = 1000;

/** @throws ProductError `STORE_HUB_CANCELLED` when the signal ends the wait */
export async function waitForDownload<T>(
  locks: Locks,
  lock: string,
  wanted: WantedFile,
  work: () => Promise<T>,
): Promise<T> {
  const { file, target, signal, report } = wanted;
  const left = Promise.withResolvers<never>();
  let isWaiting = true;
  const look = async (detail?: string) => {
    // Notes that cannot be read now are read the next time.
    const completedBytes = await resumableBytes(target, file).catch(() => 0);
    if (!isWaiting) return;
    report({ state: "downloading", completedBytes, ...(detail !== undefined && { detail }) });
    timer = setTimeout(look, lookMs);
  };
  const said = `Another process is downloading ${file.path}: waiting for it.`;
  let timer = setTimeout(look, patienceMs, said);
  const stopWaiting = () => {
    isWaiting = false;
    clearTimeout(timer);
  };
  // Once it works, the work itself ends in good order.
  const onAbort = () => {
    if (isWaiting) left.reject(cancelled());
  };
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    const turn = locks.withLock(lock, async () => {
      // The wait was cancelled: the lock came too late.
      if (signal.aborted) throw cancelled();
      stopWaiting();
      return await work();
    });
    return await Promise.race([turn, left.promise]);
  } finally {
    stopWaiting();
    signal.removeEventListener("abort", onAbort);
  }
}
