// Leaves nothing behind: kills every child and deletes every temporary path, however the run ends.

import { randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Set in the environment of every child, so that detached grandchildren can be found as well. */
export const markEnvironment = { BENCHMARK_RUN: randomUUID() };

const processGroups = new Set<number>();
const paths = new Set<string>();

/** Starts the watch over the ways in which a process can end. */
export function installCleanUp(): void {
  process.on("exit", cleanUp);
  for (const [signal, exitCode] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const) {
    process.on(signal, () => process.exit(exitCode));
  }
}

/** Kills the process group on exit; the returned function ends that duty. */
export function killOnExit(processGroup: number): () => void {
  processGroups.add(processGroup);
  return () => processGroups.delete(processGroup);
}

/** Deletes the path on exit; the returned function ends that duty. */
export function deleteOnExit(path: string): () => void {
  paths.add(path);
  return () => paths.delete(path);
}

export function createTemporaryFolder(): string {
  const path = mkdtempSync(join(tmpdir(), "modelctl-bench-"));
  deleteOnExit(path);
  return path;
}

export function killGroup(processGroup: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-processGroup, signal);
  } catch {
    // Already gone.
  }
}

/** Ends processes that left their group, such as a server started in the background. Linux only. */
export function killStragglers(): void {
  const mark = `BENCHMARK_RUN=${markEnvironment.BENCHMARK_RUN}`;
  for (const entry of listProcesses()) {
    try {
      if (readFileSync(`/proc/${entry}/environ`, "utf8").split("\0").includes(mark)) {
        process.kill(entry, "SIGKILL");
      }
    } catch {
      // Gone since, or another user's.
    }
  }
}

function listProcesses(): number[] {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

function cleanUp(): void {
  for (const processGroup of processGroups) killGroup(processGroup, "SIGKILL");
  killStragglers();
  for (const path of paths) {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  }
}
