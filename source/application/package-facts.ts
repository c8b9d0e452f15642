// What package.json says of the program itself.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

/** Works from a source checkout and from dist/ alike. */
export function packageVersion(): string {
  let folder = import.meta.dirname;
  while (!existsSync(path.join(folder, "package.json"))) folder = path.dirname(folder);
  const facts: unknown = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
  const version =
    facts !== null && typeof facts === "object" && "version" in facts ? facts.version : undefined;
  return typeof version === "string" ? version : "unknown";
}
