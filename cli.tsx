#!/usr/bin/env node
// Entry point of modelctl: prepares the process, then runs the program.
import "./source/cli/node-version.ts";
import { followForeground, holdForeground, needsForeground } from "./source/cli/foreground.ts";

const words = process.argv.slice(2);

if (needsForeground(words)) holdForeground();
else {
  followForeground();
  await import("./source/cli/early-keys.ts");
  await import("./source/cli/process-setup.ts");
  const { runModelctl } = await import("./source/cli/run-modelctl.ts");
  await runModelctl(words);
}
