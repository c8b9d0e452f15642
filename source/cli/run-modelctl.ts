// Runs a command line of modelctl.
import { runProgram } from "./program/run-program.ts";

/** Sets the exit code and never throws. */
export async function runModelctl(argv: string[]): Promise<void> {
  await runProgram(async () => (await import("./modelctl-program.ts")).modelctlProgram, argv, {
    debugVariable: "MODELCTL_DEBUG",
  });
}
