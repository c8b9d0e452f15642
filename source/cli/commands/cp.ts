// modelctl cp: gives a model a second name.
import { exitCodes } from "../../base/product-error.ts";
import { usageError } from "../errors.ts";
import type { Flags } from "../flags.ts";
import { openLibrary, parseName } from "../model-library.ts";

export async function cp(words: string[], flags: Flags): Promise<number> {
  const [source, destination, ...more] = words;
  if (source === undefined || destination === undefined || more.length > 0) {
    throw usageError("cp needs two names.", "modelctl cp SOURCE DESTINATION");
  }
  const { library } = openLibrary(flags);
  const name = parseName(library, destination);
  await library.copy(source, name);
  process.stdout.write(
    flags.json
      ? `${JSON.stringify({ source, name: name.display })}\n`
      : `copied '${source}' to '${destination}'\n`,
  );
  return exitCodes.ok;
}
