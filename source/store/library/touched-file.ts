// A file that a model refers to and that bears another date than it did: merely touched, or changed.
import type { HashOptions } from "./digest.ts";

export interface TouchedFile {
  /** Absolute. */
  path: string;
  sizeBytes: number;
  /**
   * Reads it, and remembers that it is the same.
   *
   * @throws ProductError `STORE_REFERENCE_CHANGED`; the signal's reason
   */
  check: (options?: HashOptions) => Promise<void>;
}
