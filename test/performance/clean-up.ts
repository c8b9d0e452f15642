// Clean-up after a run, however it ends: kills every child and deletes every temporary path.

import { randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Set in every child's environment, so that detached grandchildren can be found too. */
export const markEnvironment = { BENCHMARK_RUN: randomUUID() };

const processGroups = new Set<number>();
const paths = new Set<string>();

/** Installs handlers for every way in which the process can end. */
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

/** Kills the process group on exit. @returns a function that cancels this */
export function killOnExit(processGroup: number): () => void {
  processGroups.add(processGroup);
  return () => processGroups.delete(processGroup);
}

/** Deletes the path on exit. @returns a function that cancels this */
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
    // It has exited.
  }
}

/** Kills processes that left their group, such as a background server. Linux only. */
export function killStragglers(): void {
  const mark = `BENCHMARK_RUN=${markEnvironment.BENCHMARK_RUN}`;
  for (const entry of listProcesses()) {
    try {
      if (readFileSync(`/proc/${entry}/environ`, "utf8").split("\0").includes(mark)) {
        process.kill(entry, "SIGKILL");
      }
    } catch {
      // It has exited, or belongs to another user.
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
