// modelctl download: saves a file of a repository in a folder, outside the store.
import { exitCodes } from "../../base/product-error.ts";
import { usageError } from "../errors.ts";
import type { Flags } from "../flags.ts";
import { openLibrary } from "../model-library.ts";
import { fetchedIsKept, withProgress } from "../with-progress.ts";

const untagged = "latest";

export async function download(words: string[], flags: Flags): Promise<number> {
  const [repository = "", file, ...more] = words;
  const { library } = openLibrary(flags);
  const name = repository === "" ? undefined : library.parseRepository(repository);
  // As models are named: OWNER/REPO:QUANT, or :FILE.
  const tag = name === undefined || name.tag === untagged ? undefined : name.tag;
  const named = tag?.replace(/(\.gguf)?$/i, ".gguf");
  const path = file ?? named;
  const isAmbiguous = file !== undefined && named !== undefined;
  if (name === undefined || path === undefined || isAmbiguous || more.length > 0) {
    throw usageError(
      "download needs a repository and a file.",
      "modelctl download OWNER/REPO Q4_K_M.gguf --local-dir FOLDER",
    );
  }
  const wanted = {
    repo: `${name.namespace}/${name.model}`,
    path,
    localFolder: flags.localDir ?? ".",
    replace: flags.force === true,
    ...(flags.revision !== undefined && { revision: flags.revision }),
  };
  const saved = await withProgress(flags, (work) => library.download(wanted, work), fetchedIsKept);
  if (flags.json) process.stdout.write(`${JSON.stringify(saved, undefined, 2)}\n`);
  else for (const { localPath } of saved) process.stdout.write(`${localPath}\n`);
  return exitCodes.ok;
}
