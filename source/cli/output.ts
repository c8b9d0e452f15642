// Output of commands: documents, warnings, and errors such as a closed pipe.
import type { Writable } from "node:stream";
import { toOneLine } from "../base/display-text.ts";
import { exitCodes, ProductError } from "../base/product-error.ts";
import { systemCode } from "../base/write-refusal.ts";
import { commandErrors } from "./errors.ts";

let isWholeWanted = false;

/** Handles write errors: a closed pipe, as of `| head -1`, is none. Called once. */
export function watchOutput(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE" && isWholeWanted) return;
    if (error.code === "EPIPE") process.exit(exitCodes.ok);
    process.stderr.write(`Error: Cannot write the output: ${error.message}.\n`);
    process.exit(exitCodes.unexpected);
  });
  // A server continues without a reader of its log.
  process.stderr.on("error", () => {});
}

/**
 * Writes content that must be complete.
 *
 * @param what names the content
 * @param write fails if the stream fails
 * @throws ProductError `COMMAND_READER_LEFT`; errors of `write`
 */
export async function writeWhole(
  what: string,
  write: (output: Writable) => Promise<void>,
): Promise<void> {
  isWholeWanted = true;
  try {
    await write(process.stdout);
  } catch (error) {
    if (systemCode(error) !== "EPIPE") throw error;
    throw new ProductError(commandErrors.readerLeft, {
      message: `Output pipe closed early: ${what} is incomplete.`,
      hint: "Check the reading program, and discard its result.",
      cause: error,
    });
  }
}

export function printDocument(document: unknown): void {
  process.stdout.write(`${JSON.stringify(document, undefined, 2)}\n`);
}

export function warn(sentence: string): void {
  process.stderr.write(`Warning: ${toOneLine(sentence)}\n`);
}
