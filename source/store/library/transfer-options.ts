// What export and import take alike.

export interface TransferOptions {
  signal?: AbortSignal | undefined;
  /** Called with the bytes done, of all bytes. */
  onProgress?: ((completed: number, total: number) => void) | undefined;
}
