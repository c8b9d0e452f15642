// The compiler writes plain files; the commands must be executable in a clone.
import { chmodSync } from "node:fs";

for (const file of ["cli.js", "source/cli/deployctl.js"]) {
  chmodSync(new URL(`../dist/${file}`, import.meta.url), 0o755);
}
