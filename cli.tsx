#!/usr/bin/env node
// Entry point of modelctl: prepares the process, then runs the program.
import "./source/cli/node-version.ts";
import "./source/cli/early-keys.ts";
import "./source/cli/process-setup.ts";

const { runProgram } = await import("./source/cli/program/run-program.ts");

await runProgram(
  async () => (await import("./source/cli/modelctl-program.ts")).modelctlProgram,
  process.argv.slice(2),
  { debugVariable: "MODELCTL_DEBUG" },
);
