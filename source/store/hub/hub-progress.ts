// Progress of a download of one or more files, as one figure that never decreases.
import type { FileReport } from "./download/download-file.ts";

export interface HubProgress {
  /** Of all files, with what was fetched earlier. */
  completedBytes: number;
  totalBytes: number;
  state: "downloading" | "verifying" | "retrying" | "done";
  /** A sentence for the user. */
  detail?: string;
  /** The current file. */
  file?: FileProgress;
}

export interface FileProgress {
  path: string;
  sha256?: string;
  completedBytes: number;
  /** Bytes hashed so far, during verification. */
  verifiedBytes?: number;
  sizeBytes: number;
}

export interface ProgressFile {
  path: string;
  sizeBytes: number;
  sha256?: string;
}

/** Report of a retry that concerns no file in particular. */
export function retrying(detail: string): HubProgress {
  return { completedBytes: 0, totalBytes: 0, state: "retrying", detail };
}

/** Interval between reports of plain figures; a sentence or a new state is reported at once. */
const intervalMs = 100;

export class ProgressSum {
  readonly #totalBytes: number;
  readonly #completed = new Map<ProgressFile, number>();
  readonly #report: (progress: HubProgress) => void;
  #reportedMs = Number.NEGATIVE_INFINITY;
  #state: HubProgress["state"] | undefined;

  constructor(files: readonly ProgressFile[], report: (progress: HubProgress) => void) {
    this.#totalBytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    this.#report = report;
  }

  /** Sets the bytes of a file that exist before the download; reports nothing yet. */
  begin(file: ProgressFile, completedBytes: number): void {
    this.#completed.set(file, completedBytes);
  }

  /** Keeps the figure when a file starts over. */
  note(file: ProgressFile, report: FileReport): void {
    const { state, completedBytes, verifiedBytes, detail } = report;
    const completed = Math.min(
      file.sizeBytes,
      Math.max(completedBytes, this.#completed.get(file) ?? 0),
    );
    this.#completed.set(file, completed);
    const now = performance.now();
    const isWhole = [completed, verifiedBytes].includes(file.sizeBytes);
    const isNews = state !== this.#state || detail !== undefined || isWhole;
    if (!isNews && now - this.#reportedMs < intervalMs) return;
    this.#reportedMs = now;
    this.#state = state;
    this.#report({
      completedBytes: [...this.#completed.values()].reduce((sum, bytes) => sum + bytes, 0),
      totalBytes: this.#totalBytes,
      state,
      ...(detail !== undefined && { detail }),
      file: {
        path: file.path,
        ...(file.sha256 !== undefined && { sha256: file.sha256 }),
        completedBytes: completed,
        ...(verifiedBytes !== undefined && { verifiedBytes }),
        sizeBytes: file.sizeBytes,
      },
    });
  }

  done(): void {
    const totalBytes = this.#totalBytes;
    this.#report({ completedBytes: totalBytes, totalBytes, state: "done" });
  }
}
