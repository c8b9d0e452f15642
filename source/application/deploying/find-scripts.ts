// Finds deployable scripts in a folder, and their functions.
import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { toAbsolutePath } from "../../base/file-path.ts";
import { ProductError } from "../../base/product-error.ts";
import { cloudErrors } from "../../cloud/errors.ts";
import { inspectScript } from "../../cloud/inspection/inspect-script.ts";

/** Larger files are not handwritten scripts. */
const longestBytes = 1024 * 1024;
/** Limit for a folder; other scripts can still be typed. */
const maxFiles = 500;
/** Matches decorators, also in comments; reading the script finds that out. */
const marks =
  /^\s*@\s*(deployctl|fal|modal)\b|\bfal\.App\b|\bmodal\.App\(|^from modal import|^\s*@\s*(function|cached|isolated)\(/m;

/** Returns scripts in a folder and its direct subfolders, as relative paths. */
export async function findScripts(folder: string): Promise<string[]> {
  const below = await readdir(folder, { withFileTypes: true });
  const folders = below.filter((entry) => entry.isDirectory() && !entry.name.startsWith("."));
  const deeper = await Promise.all(
    folders
      .filter(({ name }) => name !== "node_modules")
      .map(async ({ name }) => {
        // Folders that cannot be read are skipped.
        const names = await readdir(path.join(folder, name)).catch(() => []);
        return names.map((file) => path.join(name, file));
      }),
  );
  const names = below.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
  const scripts = [...names, ...deeper.flat()].filter((file) => path.extname(file) === ".py");
  const marked = await Promise.all(
    scripts.slice(0, maxFiles).map(async (file) => await isMarked(path.join(folder, file))),
  );
  return scripts.filter((_, index) => marked[index]);
}

async function isMarked(file: string): Promise<boolean> {
  try {
    const { size } = await stat(file);
    return size <= longestBytes && marks.test(await readFile(file, "utf8"));
  } catch {
    return false; // deleted meanwhile, or not readable
  }
}

/**
 * Returns the names that are valid after `::`.
 *
 * @throws ProductError of `inspectScript` for other files
 */
export async function scriptTargets(file: string): Promise<string[]> {
  try {
    return [(await inspectScript(toAbsolutePath(file), undefined, { isStatic: true })).target];
  } catch (error) {
    const isUnclear =
      error instanceof ProductError && error.code === cloudErrors.targetUnknown.code;
    // The error's hint lists the choices: `deploy.py::serve`.
    const listed = isUnclear
      ? [...(error.hint ?? "").matchAll(/::([\p{L}_][\p{L}\p{N}_]*)/gu)]
      : [];
    if (listed.length === 0) throw error;
    return listed.map(([, name = ""]) => name);
  }
}
