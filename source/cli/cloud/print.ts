// Output of deployctl's commands: the answer on standard output, everything else on standard error.
import { showControls } from "../../base/display-text.ts";
import type { Flags } from "./flags.ts";

export interface CommandAnswer {
  /** For `--json`. */
  document: unknown;
  /** For people, with its newline. */
  text: string;
  /** For `--quiet`: names, one a line. */
  names?: readonly string[];
}

/**
 * Prints one of the three forms. Names from scripts and other people cannot control the terminal.
 */
export function printAnswer(
  { json, quiet }: Flags,
  { document, text, names }: CommandAnswer,
): void {
  if (json) printDocument(document);
  else if (!quiet) process.stdout.write(showControls(text));
  else process.stdout.write((names ?? []).map((name) => `${name}\n`).join(""));
}

export function printDocument(document: unknown): void {
  process.stdout.write(`${JSON.stringify(document, undefined, 2)}\n`);
}

/** One line on standard error; `--quiet` leaves it out. */
export function tell({ quiet }: Flags, sentence: string): void {
  if (!quiet) process.stderr.write(`${showControls(sentence)}\n`);
}

/** One line on standard error that is always printed. */
export function warn(sentence: string): void {
  process.stderr.write(`Warning: ${sentence}\n`);
}
