// deployctl's command line.
import { runProgram } from "../program/run-program.ts";
import { printDocument } from "./print.ts";

/** Runs the program; sets the exit code and never throws. */
export async function main(argv: string[]): Promise<void> {
  const end = argv.indexOf("--");
  const words = end === -1 ? argv : argv.slice(0, end);
  if (words.includes("--no-color")) process.env.NO_COLOR = "1";
  await runProgram(async () => (await import("./deployctl-program.ts")).deployctlProgram, argv, {
    debugVariable: "DEPLOYCTL_DEBUG",
    // A program that reads our output finds the error there too.
    onError: ({ code, sentence, exitCode }) => {
      if (words.includes("--json")) printDocument({ error: { code, message: sentence, exitCode } });
    },
  });
}
