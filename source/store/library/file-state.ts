// The state of a file, to detect changes without reading it; and files that must be read after all.
import { stat } from "node:fs/promises";
import type { HashOptions } from "./digest.ts";

export interface FileState {
  sizeBytes: number;
  /** In nanoseconds, as text: too large for a JSON number. */
  mtimeNs: string;
  inode: string;
}

/** @throws the system's error for a missing file */
export async function stateOf(file: string): Promise<FileState> {
  const { size, mtimeNs, ino } = await stat(file, { bigint: true });
  return { sizeBytes: Number(size), mtimeNs: String(mtimeNs), inode: String(ino) };
}

export function isSameState(
  one: Omit<FileState, "sizeBytes">,
  other: Omit<FileState, "sizeBytes">,
): boolean {
  return one.mtimeNs === other.mtimeNs && one.inode === other.inode;
}

/**
 * Compares the states before and after a read. Ignores the inode, which some network file systems
 * change at every call.
 */
export function isUnwritten(one: FileState, other: FileState): boolean {
  return one.mtimeNs === other.mtimeNs && one.sizeBytes === other.sizeBytes;
}

/** A referenced file whose date changed: its content may be the same or not. */
export interface TouchedFile {
  /** Absolute. */
  path: string;
  sizeBytes: number;
  /**
   * Reads the file, and remembers that its content is unchanged.
   *
   * @throws ProductError `STORE_REFERENCE_CHANGED`; the signal's reason
   */
  check: (options?: HashOptions) => Promise<void>;
}
