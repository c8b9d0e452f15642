// modelctl download: saves a file of a repository outside the store.
import { usageError } from "../errors.ts";
import { openLibrary } from "../model-library.ts";
import { printDocument } from "../output.ts";
import type { Run } from "../program/definition.ts";
import { partialDownloadKept, withProgress } from "../with-progress.ts";
import type { modelCommands } from "./models.definition.ts";

const untagged = "latest";

export const download: Run<typeof modelCommands.download> = async ([repository, file], flags) => {
  const { library } = openLibrary(flags);
  const name = library.parseRepository(repository);
  // OWNER/REPO:QUANT or OWNER/REPO:FILE, as in names of models.
  const tag = name?.tag === untagged ? undefined : name?.tag;
  const named = tag?.replace(/(\.gguf)?$/i, ".gguf");
  const path = file ?? named;
  const isAmbiguous = file !== undefined && named !== undefined;
  if (name === undefined || path === undefined || isAmbiguous) {
    throw usageError(
      "download needs a repository and a file.",
      "For example: modelctl download OWNER/REPO Q4_K_M.gguf --local-dir FOLDER",
    );
  }
  const wanted = {
    repo: `${name.namespace}/${name.model}`,
    path,
    localFolder: flags.localDir ?? ".",
    replace: flags.force === true,
    ...(flags.revision !== undefined && { revision: flags.revision }),
  };
  const saved = await withProgress(
    flags,
    (work) => library.download(wanted, work),
    partialDownloadKept,
  );
  if (flags.json) printDocument(saved);
  else for (const { localPath } of saved) process.stdout.write(`${localPath}\n`);
};
