// Warns on standard error when a model that is being loaded does not fit into memory.
import type { Flags } from "./flags.ts";

/**
 * Delay before the check: a model that loads sooner fits, and its file need not be read.
 */
const patienceMs = 500;

/**
 * @returns what to call when loading begins; a second call does nothing, nor does any for a server on
 *   another machine, whose memory is not known here
 */
export function memoryNote(model: string, flags: Flags): () => void {
  let isDone = flags.connect !== undefined;
  return () => {
    if (isDone) return;
    isDone = true;
    setTimeout(() => void print(model, flags), patienceMs).unref();
  };
}

async function print(model: string, flags: Flags): Promise<void> {
  try {
    const { openLibrary } = await import("./model-library.ts");
    const { library, settings } = openLibrary(flags);
    const { fits, sentence } = await library.memoryFit(model, settings.values);
    // A terminal shows how far the load is, in the line that the cursor is in.
    const start = process.stderr.isTTY ? "\r\u001b[K" : "";
    if (!fits) process.stderr.write(`${start}${model} ${sentence}\n`);
  } catch {
    // The server reports problems with the model.
  }
}
