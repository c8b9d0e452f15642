// A wait that an abort signal ends.

/**
 * Returns the promise's result, unless the signal is aborted first. Handles the promise in any case,
 * also if the signal is aborted already: nobody else waits for it, and an unhandled rejection would
 * reach the whole process.
 *
 * @param reason error for an abort. Defaults to the signal's own
 */
export async function unlessAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal,
  reason: () => unknown = () => signal.reason,
): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(reason());
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([aborted.promise, promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
