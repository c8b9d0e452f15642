// modelctl download: saves a file of a repository in a folder, outside the store.
import { exitCodes } from "../../base/product-error.ts";
import { usageError } from "../errors.ts";
import type { Flags } from "../flags.ts";
import { openLibrary } from "../model-library.ts";
import { withProgress } from "../with-progress.ts";

export async function download(words: string[], flags: Flags): Promise<number> {
  const [repo, file, ...more] = words;
  if (repo === undefined || file === undefined || more.length > 0 || !/^[^/]+\/[^/]+$/.test(repo)) {
    throw usageError(
      "download needs a repository and a file.",
      "modelctl download OWNER/REPO Q4_K_M.gguf --local-dir FOLDER",
    );
  }
  const { library } = openLibrary(flags);
  const saved = await withProgress(flags, (work) =>
    library.download(
      {
        repo,
        path: file,
        localFolder: flags.localDir ?? ".",
        replace: flags.force === true,
        ...(flags.revision !== undefined && { revision: flags.revision }),
      },
      work,
    ),
  );
  if (flags.json) process.stdout.write(`${JSON.stringify(saved, undefined, 2)}\n`);
  else for (const { localPath } of saved) process.stdout.write(`${localPath}\n`);
  return exitCodes.ok;
}
