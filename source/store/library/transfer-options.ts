// Options shared by export and import.

export interface TransferOptions {
  signal?: AbortSignal | undefined;
  /** Called with the bytes done, of all bytes where their number is known. */
  onProgress?: ((completed: number, total: number | undefined) => void) | undefined;
}
