// Waits for another process that downloads the same file, for hours if need be, and reports its
// progress.

import { makeFolder } from "../../base/make-folder.ts";
import { explainingDiskErrors } from "../library/disk-errors.ts";
import { LockFolder } from "../library/lock-folder.ts";
import type { BlobFolder } from "../library/model-store.ts";
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
/** Interval for reading the other process's progress, which it notes as often. */
const pollMs = 1000;

/** @throws ProductError `STORE_HUB_CANCELLED` when the signal ends the wait */
export async function waitForDownload<T>(
  locks: Locks,
  lock: string,
  wanted: WantedFile,
  work: () => Promise<T>,
): Promise<T> {
  const { file, target, signal, report } = wanted;
  const aborted = Promise.withResolvers<never>();
  let isWaiting = true;
  const poll = async (detail?: string) => {
    // Unreadable notes are read again next time.
    const completedBytes = await resumableBytes(target, file).catch(() => 0);
    if (!isWaiting) return;
    report({ state: "downloading", completedBytes, ...(detail !== undefined && { detail }) });
    timer = setTimeout(poll, pollMs);
  };
  const notice = `Another process is downloading ${file.path}: waiting for it.`;
  let timer = setTimeout(poll, patienceMs, notice);
  const stopWaiting = () => {
    isWaiting = false;
    clearTimeout(timer);
  };
  // Once the work has started, it handles the signal itself.
  const onAbort = () => {
    if (isWaiting) aborted.reject(cancelled());
  };
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    const turn = locks.withLock(lock, async () => {
      // The wait was cancelled: the lock came too late.
      if (signal.aborted) throw cancelled();
      stopWaiting();
      return await work();
    });
    return await Promise.race([turn, aborted.promise]);
  } finally {
    stopWaiting();
    signal.removeEventListener("abort", onAbort);
  }
}

/**
 * Returns the locks of downloads outside the store, in a folder of their own: the store may be
 * read-only.
 *
 * @param folder created with its first lock; the locks throw ProductError `STORE_DISK_FULL`,
 *   `STORE_NOT_WRITABLE` if that fails
 */
export function downloadLocks(folder: string): Locks {
  const locks = new LockFolder(folder);
  return {
    withLock: async (name, work) =>
      await explainingDiskErrors(folder, async () => {
        await makeFolder(folder);
        locks.removeOld();
        return await locks.withLock(name, work);
      }),
  };
}
