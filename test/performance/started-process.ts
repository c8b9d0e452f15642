// Processes of a measurement, each in a group of its own that ends with the benchmark.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { killOnExit, markEnvironment } from "./clean-up.ts";

/** Starts a module of this folder, which may send messages. */
export function startNode(file: string, words: readonly string[]): ChildProcess {
  return startProcess(process.execPath, [join(import.meta.dirname, file), ...words], "ipc");
}

export function startProcess(
  program: string,
  words: readonly string[],
  channel: "ipc" | "ignore",
  environment: Record<string, string> = {},
): ChildProcess {
  // Drops caddy's output, as it logs its configuration; a failed start is noticed later.
  const output = channel === "ipc" ? "inherit" : "ignore";
  const child = spawn(program, words, {
    stdio: ["ignore", output, output, channel],
    detached: true,
    env: { ...process.env, ...environment, ...markEnvironment },
  });
  if (child.pid === undefined) throw new Error(`${program} does not start`);
  killOnExit(child.pid);
  return child;
}

/** Resolves with the first message of a process. */
export async function firstNews(child: ChildProcess): Promise<unknown> {
  const gone = once(child, "exit").then(() => {
    throw new Error("a process of the measurement does not start");
  });
  const [news] = await Promise.race([once(child, "message"), gone]);
  return news;
}
