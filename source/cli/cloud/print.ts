// Output of deployctl's commands: answers on standard output, everything else on standard error.
import { showControls } from "../../base/display-text.ts";
import { printDocument } from "../output.ts";
import type { Flags } from "./flags.ts";

export interface CommandAnswer {
  /** For `--json`. */
  document: unknown;
  /** For people, with a newline. */
  text: string;
  /** For `--quiet`, one per line. */
  names?: readonly string[];
}

/** Prints one of the three forms, with terminal controls escaped. */
export function printAnswer(
  { json, quiet }: Flags,
  { document, text, names }: CommandAnswer,
): void {
  if (json) printDocument(document);
  else if (!quiet) process.stdout.write(showControls(text));
  else process.stdout.write((names ?? []).map((name) => `${name}\n`).join(""));
}

/** Prints a line on standard error, unless quiet. */
export function tell({ quiet }: Flags, sentence: string): void {
  if (!quiet) process.stderr.write(`${showControls(sentence)}\n`);
}
