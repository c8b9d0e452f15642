// How large the terminal is, and when it goes away.

import type { WindowSize } from "../frame/window-size.ts";

/** Rows that the program takes of a terminal whose other rows stay as they are. */
const inlineRowsMaximum = 24;
const endingSignals: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** A terminal that does not know its size counts as the classic one, as in Ink. */
export function windowSize(stdout: NodeJS.WriteStream, isInline: boolean): WindowSize {
  const rows = stdout.rows || 24;
  return {
    columns: stdout.columns || 80,
    rows: isInline ? Math.min(rows, inlineRowsMaximum) : rows,
  };
}

/**
 * Calls `end` on a signal or when the terminal goes away.
 * @returns takes the listeners off again
 */
export function watchForEnd(
  stdin: NodeJS.ReadStream,
  stdout: NodeJS.WriteStream,
  end: (signal?: NodeJS.Signals) => void,
): () => void {
  const onClosed = (): void => end();
  for (const signal of endingSignals) process.on(signal, end);
  stdin.on("end", onClosed);
  stdin.on("error", onClosed);
  stdout.on("error", onClosed);
  return () => {
    for (const signal of endingSignals) process.off(signal, end);
    stdin.off("end", onClosed);
    stdin.off("error", onClosed);
    stdout.off("error", onClosed);
  };
}
