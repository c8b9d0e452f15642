// Ink's ways to the terminal, which exist only once it paints.

export interface TerminalHandle {
  /** Ends what is painted, runs the work with the terminal as it was, and paints again. */
  suspend: ((work: () => Promise<void>) => Promise<unknown>) | undefined;
  /** Another program has the terminal: its signals are meant for it. */
  isLent: boolean;
}

/** Lends the terminal for the time of the work. @param stdin where keys are read from until then */
export async function lendTerminal(
  handle: TerminalHandle,
  stdin: NodeJS.ReadStream,
  work: () => Promise<void>,
): Promise<void> {
  if (handle.suspend === undefined) throw new Error("The terminal is not painted on yet");
  handle.isLent = true;
  try {
    await handle.suspend(async () => {
      await stopReading(stdin);
      await work();
    });
  } finally {
    handle.isLent = false;
  }
}

/**
 * Ink stops listening, yet Node goes on taking what is typed: the other program would miss keys. Node lets
 * go at this event, and reads again once Ink listens again.
 */
async function stopReading(stdin: NodeJS.ReadStream): Promise<void> {
  stdin.emit("pause");
  // It is done on the next tick.
  await new Promise((resolve) => setImmediate(resolve));
}
