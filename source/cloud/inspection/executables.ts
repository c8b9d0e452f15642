// Check for the programs that a script runs, before anything starts.
import { accessSync, constants, statSync } from "node:fs";
import path from "node:path";
import { ProductError } from "../../base/product-error.ts";
import { cloudErrors } from "../errors.ts";
import type { Inspection } from "./inspection.ts";
import { installLine, packageOf } from "./install-line.ts";

export interface ExecutableSearch {
  /** Folders separated by `:`, as in PATH. */
  searchPath: string;
  /** Base folder of relative names such as `./server`. */
  folder: string;
  /** Image of the script, whose versions the hint uses. */
  image?: Inspection["image"];
}

/** Returns the names that no replica could run, in order. */
export function missingExecutables(
  names: readonly string[],
  { searchPath, folder }: Pick<ExecutableSearch, "searchPath" | "folder">,
): string[] {
  const folders = searchPath.split(path.delimiter).filter((entry) => entry !== "");
  return names.filter((name) => {
    if (name.includes("/")) return !isExecutable(path.resolve(folder, name));
    return !folders.some((entry) => isExecutable(path.resolve(folder, entry, name)));
  });
}

/**
 * @throws ProductError `CLOUD_EXECUTABLE_MISSING`, with the install command for the first as its
 * hint
 */
export function checkExecutables(names: readonly string[], search: ExecutableSearch): void {
  const missing = missingExecutables(names, search);
  const [first] = missing;
  if (first === undefined) return;
  const isPath = first.includes("/");
  const verb = missing.length === 1 ? "is" : "are";
  const fault = isPath ? "missing or not executable" : "not on the PATH of its replicas";
  throw new ProductError(cloudErrors.executableMissing, {
    message: `The script runs ${missing.join(", ")}, which ${verb} ${fault}.`,
    hint: hintFor(first, search.image),
  });
}

function hintFor(name: string, image: Inspection["image"]): string {
  if (name.includes("/")) return `Fix the path, or add the file with --include ${name}.`;
  const line = installLine(name, image);
  if (line === undefined) {
    return `Install ${name}, or add its folder with --env PATH=FOLDER:$PATH.`;
  }
  const requirement = packageOf(name, image);
  return requirement === undefined
    ? `Install it: ${line}`
    : `Install it: ${line} (or for this app alone: --requirement '${requirement}')`;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false; // missing, or not accessible
  }
}
