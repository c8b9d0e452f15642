// Runs a program as a process group, which ends as a whole and at the latest with this process. Compilers
// that outlive their cmake would write into folders that are being removed.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { spawnWatched } from "./parent-watch.ts";

export interface GroupOptions {
  cwd?: string;
  /** Defaults to this process' variables. */
  env?: NodeJS.ProcessEnv;
  /** Runs a command line of the system's shell. */
  shell?: boolean;
  /** Aborting it ends the whole group with SIGTERM, and some seconds later with SIGKILL. */
  signal: AbortSignal | undefined;
}

export interface RunningGroup {
  stdout: Readable;
  stderr: Readable;
  /**
   * Resolves when the program and all holders of its output have ended: undefined for success, else a
   * phrase such as `ended with code 1`. Never rejects.
   */
  ended: Promise<string | undefined>;
}

const graceMs = 5000;

export function runGroup(
  program: string,
  words: readonly string[],
  { cwd, env, shell = false, signal }: GroupOptions,
): RunningGroup {
  const child = spawnWatched("group", () =>
    spawn(program, words, {
      stdio: ["ignore", "pipe", "pipe"],
      // Windows has no process groups: only the program itself is ended.
      detached: process.platform !== "win32",
      shell,
      windowsHide: true,
      ...(cwd !== undefined && { cwd }),
      ...(env !== undefined && { env }),
    }),
  );
  let force: NodeJS.Timeout | undefined;
  const end = () => {
    endGroup(child, "SIGTERM");
    force = setTimeout(() => endGroup(child, "SIGKILL"), graceMs);
  };
  if (signal?.aborted) end();
  signal?.addEventListener("abort", end, { once: true });
  let failure: string | undefined;
  child.once("error", (error) => {
    failure = `could not be run: ${error.message}`;
  });
  const ended = new Promise<string | undefined>((resolve) => {
    // Emitted when all output is closed, also after a failed start.
    child.once("close", (code, name) => {
      clearTimeout(force);
      signal?.removeEventListener("abort", end);
      resolve(failure ?? (code === 0 ? undefined : `ended with ${name ?? `code ${code}`}`));
    });
  });
  return { stdout: child.stdout, stderr: child.stderr, ended };
}

function endGroup(child: ChildProcessByStdio<null, Readable, Readable>, how: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === "win32") child.kill(how);
    else process.kill(-child.pid, how);
  } catch {
    // It has already ended.
  }
}
