// Waits for conditions that are looked at again after each change.

export class Changes {
  readonly #checks = new Set<() => void>();

  /** Looks at all conditions again. */
  notify(): void {
    for (const check of [...this.#checks]) check();
  }

  /**
   * Resolves with the first result of `look` that is not undefined; rejects with its error, or the
   * signal's reason.
   */
  async until<T>(look: () => T | undefined, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const check = () => {
      try {
        const found = look();
        if (found !== undefined) resolve(found);
      } catch (error) {
        reject(error);
      }
    };
    const onAbort = () => reject(signal?.reason);
    this.#checks.add(check);
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      check();
      return await promise;
    } finally {
      this.#checks.delete(check);
      signal?.removeEventListener("abort", onAbort);
    }
  }
}
