// Runs a command line of deployctl.
import { printDocument } from "./output.ts";
import { runProgram } from "./program/run-program.ts";

/** Sets the exit code and never throws. With `--json`, prints errors as JSON too. */
export async function runDeployctl(argv: string[]): Promise<void> {
  const end = argv.indexOf("--");
  const words = end === -1 ? argv : argv.slice(0, end);
  if (words.includes("--no-color")) process.env.NO_COLOR = "1";
  await runProgram(
    async () => (await import("./cloud/deployctl-program.ts")).deployctlProgram,
    argv,
    {
      debugVariable: "DEPLOYCTL_DEBUG",
      onError: ({ code, sentence, exitCode }) => {
        if (words.includes("--json"))
          printDocument({ error: { code, message: sentence, exitCode } });
      },
    },
  );
}
