// A download's view of the model store: the paths of blobs, and a lock for writing one.

export interface BlobFolder {
  /**
   * Where the blob of this digest (`sha256:` and 64 hex digits) lies once it is whole. A download
   * keeps its unfinished bytes at this path with `-partial` behind it, its notes at `-partial.json`.
   */
  blobPath(digest: string): string;
  /** Where other stores on this machine would have the same content; nothing is ever written there. */
  blobPathsElsewhere(digest: string): string[];
  /**
   * Does the work while no other caller, in this process or another, holds the lock of that name.
   * The lock ends with the work or with the process, even a killed one. It is not re-entrant.
   */
  withLock<T>(name: string, work: () => Promise<T>): Promise<T>;
}
