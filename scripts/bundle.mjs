// Bundles the sources into dist/, and makes both commands executable.
import { chmodSync } from "node:fs";
import path from "node:path";
import { build } from "rolldown";
import config from "../rolldown.config.ts";

const root = path.join(import.meta.dirname, "..");
await build({ ...config, cwd: root });
for (const command of ["cli.js", "deployctl.js"]) {
  chmodSync(path.join(root, "dist", command), 0o755);
}
