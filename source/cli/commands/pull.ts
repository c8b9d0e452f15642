// modelctl pull: pulls a model from the hub into the store.
import type { ModelLibrary, ModelName } from "../../application/models/model-library.ts";
import { ProductError } from "../../base/product-error.ts";
import { usageError } from "../errors.ts";
import { openLibrary } from "../model-library.ts";
import type { Run } from "../program/definition.ts";
import { partialDownloadKept, withProgress } from "../with-progress.ts";
import type { modelCommands } from "./models.definition.ts";

export const pull: Run<typeof modelCommands.pull> = async ([reference], flags) => {
  const { library } = openLibrary(flags);
  const parsed = library.catalog.parse(reference);
  if (parsed.kind === "file") {
    const hint = `Run the file directly: modelctl run ${reference}`;
    throw usageError(`${reference} is a path, not a model name.`, hint);
  }
  const { name } = parsed;
  const pulling = withProgress(flags, (work) => library.pull(name, work), partialDownloadKept);
  await pulling.catch(async (error: unknown) => {
    throw (await isHereAlready(library, name)) ? withoutNeed(error, name) : error;
  });
  if (flags.json) {
    const { digest, sizeBytes } = await library.catalog.resolve(reference);
    process.stdout.write(`${JSON.stringify({ name: name.display, digest, sizeBytes })}\n`);
  }
};

async function isHereAlready(library: ModelLibrary, name: ModelName): Promise<boolean> {
  if (name.isHub) return false;
  const found = await library.catalog.find(name).catch(() => undefined); // a damaged one does not count
  return found !== undefined;
}

function withoutNeed(error: unknown, { display }: ModelName): unknown {
  if (!(error instanceof ProductError)) return error;
  return error.reworded({ hint: `'${display}' already exists: modelctl run ${display}` });
}
