// modelctl's command line.
import { runProgram } from "./program/run-program.ts";

/** Runs the program; sets the exit code and never throws. */
export async function main(argv: string[]): Promise<void> {
  await runProgram(async () => (await import("./modelctl-program.ts")).modelctlProgram, argv, {
    debugVariable: "MODELCTL_DEBUG",
  });
}
