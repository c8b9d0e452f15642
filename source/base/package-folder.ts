// Where this package is installed.
import { existsSync } from "node:fs";
import path from "node:path";

/** The folder that holds package.json, from a source checkout and from dist/ alike. */
export function packageFolder(): string {
  let folder = import.meta.dirname;
  while (!existsSync(path.join(folder, "package.json"))) {
    const parent = path.dirname(folder);
    if (parent === folder) throw new Error("the package's own folder was not found");
    folder = parent;
  }
  return folder;
}
