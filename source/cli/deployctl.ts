#!/usr/bin/env node
// Entry point of deployctl: prepares the process, then runs the program.
import "./node-version.ts";
import "./early-keys.ts";
import "./process-setup.ts";

const { runDeployctl } = await import("./run-deployctl.ts");

await runDeployctl(process.argv.slice(2));
