// The program's standard output, and what it means that its reader leaves.
import type { Writable } from "node:stream";
import { exitCodes, ProductError } from "../base/product-error.ts";
import { commandErrors } from "./errors.ts";

let isWholeWanted = false;

/** `modelctl run … | head -1` is no error; an output that cannot be written is one. Called once. */
export function watchOutput(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE" && isWholeWanted) return;
    if (error.code === "EPIPE") process.exit(exitCodes.ok);
    process.stderr.write(`Error: The output cannot be written: ${error.message}.\n`);
    process.exit(exitCodes.unexpected);
  });
  // A server goes on when nobody reads its log any more.
  process.stderr.on("error", () => {});
}

/**
 * For content of which a part is of no use.
 *
 * @param write fails with the stream it is given
 * @param what names the content
 * @throws ProductError `COMMAND_READER_LEFT`; what `write` throws
 */
export async function writeWhole(
  what: string,
  write: (output: Writable) => Promise<void>,
): Promise<void> {
  isWholeWanted = true;
  try {
    await write(process.stdout);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EPIPE")) throw error;
    throw new ProductError(commandErrors.readerLeft, {
      message: `Whatever reads the output has ended before ${what} was whole.`,
      hint: "Look at what it says, and do not use what it has written.",
      cause: error,
    });
  }
}
