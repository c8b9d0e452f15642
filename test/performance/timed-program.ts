// Duration of a program's whole run, with a check that it succeeded.

import { spawn } from "node:child_process";
import { killGroup, killOnExit } from "./clean-up.ts";
import { childEnvironment, commandPath } from "./server-process.ts";

const programLimitMs = 5 * 60_000;

/** @returns milliseconds of a `modelctl` command, from the start of its process to its end */
export async function timeModelctl(
  words: readonly string[],
  environment: Record<string, string>,
): Promise<number> {
  return await timeProgram(process.execPath, [commandPath, ...words], environment);
}

/**
 * @returns milliseconds from the start of the process to its end
 * @throws Error when the program cannot be started, fails, or takes too long
 */
export async function timeProgram(
  program: string,
  words: readonly string[],
  environment: Record<string, string> = {},
): Promise<number> {
  const startedAtMs = performance.now();
  const child = spawn(program, words, {
    stdio: ["ignore", "ignore", "pipe"],
    detached: true,
    env: childEnvironment(environment),
  });
  const processGroup = child.pid;
  const forget = processGroup === undefined ? () => {} : killOnExit(processGroup);
  let errorText = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errorText = (errorText + text).slice(-2000);
  });
  const timer = setTimeout(() => {
    if (processGroup !== undefined) killGroup(processGroup, "SIGKILL");
  }, programLimitMs);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", resolve);
    });
    const elapsedMs = performance.now() - startedAtMs;
    if (code !== 0)
      throw new Error(`${program} ${words.join(" ")} failed (${code}).\n${errorText}`);
    return elapsedMs;
  } finally {
    clearTimeout(timer);
    forget();
  }
}
