// Work that Ctrl+C stops.

/**
 * @param signals that stop the work
 * @throws errors of the work; after a signal, the abort's reason, which ends a command as interrupted
 */
export async function interruptible<T>(
  work: (signal: AbortSignal) => Promise<T>,
  signals: readonly NodeJS.Signals[] = ["SIGINT"],
): Promise<T> {
  const abort = new AbortController();
  const interrupt = () => abort.abort();
  for (const name of signals) process.once(name, interrupt);
  try {
    return await work(abort.signal);
  } catch (error) {
    throw abort.signal.aborted ? abort.signal.reason : error;
  } finally {
    for (const name of signals) process.off(name, interrupt);
  }
}

export function isInterruption(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}
