// Shares one run of some work among callers that ask for it at the same time.

/**
 * The returned function joins calls made while the work runs into one later run, so that no caller
 * gets a result from before its call.
 */
export function shareCalls<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  const begin = (): Promise<T> => {
    next = undefined;
    const result = work();
    // The callers get a failure; the next run must not.
    running = result.catch(() => {});
    return result;
  };
  return () => {
    next ??= running.then(begin);
    return next;
  };
}
