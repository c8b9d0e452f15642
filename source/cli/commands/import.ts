// modelctl import: takes models out of what export wrote, a file or a pipe.
import path from "node:path";
import { exitCodes } from "../../base/product-error.ts";
import { usageError } from "../errors.ts";
import type { Flags } from "../flags.ts";
import { openLibrary, parseName } from "../model-library.ts";
import { withProgress } from "../with-progress.ts";

export async function importCommand(words: string[], flags: Flags): Promise<number> {
  const [file, ...more] = words;
  if (file === undefined || more.length > 0) {
    throw usageError("import needs one file.", "modelctl import FILE [--as NAME]");
  }
  const { library } = openLibrary(flags);
  const name = flags.as === undefined ? undefined : parseName(library, flags.as);
  if (file === "-" && process.stdin.isTTY) {
    throw usageError(
      "import - reads standard input, and that is a terminal.",
      "modelctl import FILE",
    );
  }
  const source = file === "-" ? process.stdin : path.resolve(file);
  const names = await withProgress(flags, (work) => library.import(source, name, work));
  const shown = names.map(({ display }) => display);
  if (flags.json) process.stdout.write(`${JSON.stringify({ names: shown })}\n`);
  else for (const display of shown) process.stdout.write(`imported '${display}'\n`);
  return exitCodes.ok;
}
