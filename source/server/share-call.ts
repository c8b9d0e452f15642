// Work whose result is the same for all who ask at the same time is done once for them.

/**
 * The returned function joins calls that come while the work runs into one that begins after it: what
 * a caller gets was never begun before it called.
 */
export function shareCalls<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  const begin = (): Promise<T> => {
    next = undefined;
    const result = work();
    // Whoever called is told of a failure; the next work does not mind.
    running = result.catch(() => {});
    return result;
  };
  return () => {
    next ??= running.then(begin);
    return next;
  };
}
