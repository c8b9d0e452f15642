// Ink's ways to the terminal, which exist only once it paints.

export interface TerminalHandle {
  /** Ends what is painted, runs the work with the terminal as it was, and paints again. */
  suspend: ((work: () => Promise<void>) => Promise<unknown>) | undefined;
  /** Another program has the terminal: its signals are meant for it. */
  isLent: boolean;
}

/** Lends the terminal for the time of the work. */
export async function lendTerminal(
  handle: TerminalHandle,
  work: () => Promise<void>,
): Promise<void> {
  if (handle.suspend === undefined) throw new Error("The terminal is not painted on yet");
  handle.isLent = true;
  try {
    await handle.suspend(work);
  } finally {
    handle.isLent = false;
  }
}
