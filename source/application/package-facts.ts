// The program's name and version from package.json.
import { readFileSync } from "node:fs";
import path from "node:path";
import { packageFolder } from "../base/package-folder.ts";

export function packageVersion(): string {
  const file = path.join(packageFolder(), "package.json");
  const facts: unknown = JSON.parse(readFileSync(file, "utf8"));
  const version =
    facts !== null && typeof facts === "object" && "version" in facts ? facts.version : undefined;
  return typeof version === "string" ? version : "unknown";
}
