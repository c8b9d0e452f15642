// Builds dist/ when the package is installed. Keeps an existing build if `npx modelctl` in a clone
// installs a link to the clone and calls this again, since servers may be running from it.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";

const isBuilt = existsSync(new URL("../dist/cli.js", import.meta.url));
if (process.env.npm_command !== "exec" || !isBuilt) {
  execFileSync("npm", ["run", "build"], { stdio: "inherit", shell: process.platform === "win32" });
}
