// modelctl pull: brings a model of the hub into the store.
import { exitCodes } from "../../base/product-error.ts";
import { usageError } from "../errors.ts";
import type { Flags } from "../flags.ts";
import { openLibrary, parseName } from "../model-library.ts";
import { withProgress } from "../with-progress.ts";

export async function pull(words: string[], flags: Flags): Promise<number> {
  const [reference, ...more] = words;
  if (reference === undefined || more.length > 0) {
    throw usageError("pull needs one model.", "modelctl pull hf.co/OWNER/REPO[:QUANT]");
  }
  const { library } = openLibrary(flags);
  const name = parseName(library, reference);
  await withProgress(flags, (work) => library.pull(name, work));
  if (flags.json) {
    const { digest, sizeBytes } = await library.catalog.resolve(reference);
    process.stdout.write(`${JSON.stringify({ name: name.display, digest, sizeBytes })}\n`);
  }
  return exitCodes.ok;
}
