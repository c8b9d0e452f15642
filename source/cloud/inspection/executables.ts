// Looks up the programs that a script calls, before anything of it starts.
import { accessSync, constants, statSync } from "node:fs";
import path from "node:path";
import { ProductError } from "../../base/product-error.ts";
import { cloudErrors } from "../errors.ts";
import type { Inspection } from "./inspection.ts";
import { installLine, packageOf } from "./install-line.ts";

export interface ExecutableSearch {
  /** Folders with `:` between them, as PATH has them. */
  searchPath: string;
  /** What names such as `./server` are relative to. */
  folder: string;
  /** The script's image, whose versions the hint has. */
  image?: Inspection["image"];
}

/** Those of the names that no replica could start, in their order. */
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

/** @throws ProductError `CLOUD_EXECUTABLE_MISSING`, whose hint is the line that installs the first */
export function checkExecutables(names: readonly string[], search: ExecutableSearch): void {
  const missing = missingExecutables(names, search);
  const [first] = missing;
  if (first === undefined) return;
  const isPath = first.includes("/");
  const verb = missing.length === 1 ? "is" : "are";
  const place = isPath ? "there" : "on the PATH of its replicas";
  throw new ProductError(cloudErrors.executableMissing, {
    message: `The script calls ${missing.join(", ")}, which ${verb} not ${place}.`,
    hint: hintFor(first, search.image),
  });
}

function hintFor(name: string, image: Inspection["image"]): string {
  if (name.includes("/")) return `Correct the path, or add the file: --include ${name}.`;
  const line = installLine(name, image);
  if (line === undefined) {
    return `Install ${name}, or give its folder: --env PATH=FOLDER:$PATH.`;
  }
  const requirement = packageOf(name, image);
  return requirement === undefined
    ? `Install it: ${line}`
    : `Install it: ${line} (or let the app have its own: --requirement '${requirement}')`;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false; // it is not there, or not for us to run
  }
}
