// This package: its folder and its version.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

/** Returns the folder that holds package.json, from a source checkout and from dist/ alike. */
export function packageFolder(): string {
  let folder = import.meta.dirname;
  while (!existsSync(path.join(folder, "package.json"))) {
    const parent = path.dirname(folder);
    if (parent === folder) throw new Error("package.json was not found");
    folder = parent;
  }
  return folder;
}

export function packageVersion(): string {
  const file = path.join(packageFolder(), "package.json");
  const facts: unknown = JSON.parse(readFileSync(file, "utf8"));
  const version =
    facts !== null && typeof facts === "object" && "version" in facts ? facts.version : undefined;
  return typeof version === "string" ? version : "unknown";
}
