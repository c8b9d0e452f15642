// Handles and memory of a process.
import { readdirSync, readFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { ProcessSize } from "./target.ts";

/** Size of this process after a garbage collection. */
export async function sizeOfProcess(): Promise<ProcessSize> {
  setFlagsFromString("--expose-gc");
  const collectGarbage: unknown = runInNewContext("gc");
  if (typeof collectGarbage === "function") collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return { handles: process.getActiveResourcesInfo().length, bytes: heapUsed + external };
}

/** Size of another process on Linux; zeros elsewhere. */
export function sizeOfOther(processId: number): ProcessSize {
  if (process.platform !== "linux") return { handles: 0, bytes: 0 };
  const status = readFileSync(`/proc/${processId}/status`, "utf8");
  const kibibytes = Number(/^VmRSS:\s*(\d+)/m.exec(status)?.[1] ?? 0);
  return { handles: readdirSync(`/proc/${processId}/fd`).length, bytes: kibibytes * 1024 };
}
