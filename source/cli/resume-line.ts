// The line that the screens leave on the terminal: the chat's name and the command to resume it.

import type { AppResult } from "../ui/app/app-options.ts";
import { neutraliseLine } from "../ui/text/neutralise.ts";

/** Prints nothing when no chat was saved, or a signal ended the program. */
export function printResumeLine({ saved, signal }: Pick<AppResult, "saved" | "signal">): void {
  if (saved === undefined || signal !== undefined) return;
  process.stdout.write(`${resumeLine(saved)}\n`);
}

/** Returns the sentence, and the command on a line of its own: no name pushes it over the edge. */
export function resumeLine({ id, name, deployment }: NonNullable<AppResult["saved"]>): string {
  const shown = neutraliseLine(name, false);
  return deployment === undefined
    ? `Chat '${shown}' is saved. Resume it with:\n  modelctl run --session ${id}`
    : `Chat '${shown}' is saved. Resume it with Alt+S in deployctl.`;
}
