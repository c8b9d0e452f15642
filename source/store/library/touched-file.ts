// A referenced file whose date has changed: its content may be the same or not.
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
