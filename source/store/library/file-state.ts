// The state of a file, to detect changes without reading it.
import { stat } from "node:fs/promises";

export interface FileState {
  sizeBytes: number;
  /** Time of the last change in nanoseconds; a number of JSON could not hold it. */
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

/** Between two looks while it is read: some network file systems give another inode at every look. */
export function isUnwritten(one: FileState, other: FileState): boolean {
  return one.mtimeNs === other.mtimeNs && one.sizeBytes === other.sizeBytes;
}
