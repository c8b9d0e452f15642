#!/usr/bin/env node
// Entry point of deployctl: prepares the process, then runs the program.
import "./node-version.ts";
import "./early-keys.ts";
import "./process-setup.ts";

const { runProgram } = await import("./program/run-program.ts");
const { printDocument } = await import("./output.ts");

const argv = process.argv.slice(2);
const end = argv.indexOf("--");
const words = end === -1 ? argv : argv.slice(0, end);
if (words.includes("--no-color")) process.env.NO_COLOR = "1";

await runProgram(
  async () => (await import("./cloud/deployctl-program.ts")).deployctlProgram,
  argv,
  {
    debugVariable: "DEPLOYCTL_DEBUG",
    // Prints errors as JSON, too, for programs that read the output.
    onError: ({ code, sentence, exitCode }) => {
      if (words.includes("--json")) printDocument({ error: { code, message: sentence, exitCode } });
    },
  },
);
