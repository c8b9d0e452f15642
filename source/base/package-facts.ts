// This package: its folder, its version, and the Node that it needs.
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
  const { version } = packageFile();
  return typeof version === "string" ? version : "unknown";
}

export function packageName(): string {
  const { name } = packageFile();
  return typeof name === "string" ? name : "modelctl";
}

/** Returns the address of the repository; undefined if package.json names none. */
export function packageRepository(): string | undefined {
  const { repository } = packageFile();
  const url: unknown = typeof repository === "string" ? repository : Object(repository).url;
  return typeof url === "string" ? url : undefined;
}

/** Returns the oldest version of Node that it runs on, such as `22.13`. */
export function oldestNode(): string {
  const { node }: Record<string, unknown> = Object(packageFile().engines);
  return String(node).replace(/^>=/, "");
}

function packageFile(): Record<string, unknown> {
  const file = path.join(packageFolder(), "package.json");
  return Object(JSON.parse(readFileSync(file, "utf8")));
}
