#!/usr/bin/env node
// Entry point of modelctl: prepares the process, then runs the program.
import "./source/cli/node-version.ts";
import "./source/cli/early-keys.ts";
import "./source/cli/process-setup.ts";

const { runModelctl } = await import("./source/cli/run-modelctl.ts");

await runModelctl(process.argv.slice(2));
