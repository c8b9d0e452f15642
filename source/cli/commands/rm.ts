// modelctl rm: removes models, one after the other.
import { exitCodes } from "../../base/product-error.ts";
import { usageError } from "../errors.ts";
import type { Flags } from "../flags.ts";
import { openLibrary } from "../model-library.ts";
import { findRunningServer } from "../running-server.ts";

export async function rm(names: string[], flags: Flags): Promise<number> {
  if (names.length === 0) throw usageError("rm needs a model.", "modelctl rm MODEL…");
  const { library, settings } = openLibrary(flags);
  const server = await findRunningServer(flags, settings);
  for (const name of names) {
    // Unloading needs the name, so it comes first; removing tells whether there is such a model.
    await server?.unload(name).catch(() => {});
    const { display } = await library.remove(name);
    process.stdout.write(`deleted '${display}'\n`);
  }
  return exitCodes.ok;
}
