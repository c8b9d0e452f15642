// Makes the commands executable in a clone, since the compiler writes plain files.
import { chmodSync } from "node:fs";

for (const file of ["cli.js", "source/cli/deployctl.js"]) {
  chmodSync(new URL(`../dist/${file}`, import.meta.url), 0o755);
}
