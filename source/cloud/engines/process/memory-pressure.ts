// Memory pressure: OOM kills in our control group, and available memory.
import { readText } from "../../process-stat.ts";

/**
 * Files with the counter `oom_kill`, for cgroup versions 2 and 1, inside and outside a container.
 */
function candidates(): string[] {
  const groups = (readText("/proc/self/cgroup") ?? "").split("\n");
  const version2 = groups.find((line) => line.startsWith("0::"))?.slice(3) ?? "/";
  const version1 = groups.find((line) => line.includes(":memory:"))?.split(":")[2] ?? "/";
  return [
    `/sys/fs/cgroup${version2}/memory.events`,
    "/sys/fs/cgroup/memory.events",
    `/sys/fs/cgroup/memory${version1}/memory.oom_control`,
    "/sys/fs/cgroup/memory/memory.oom_control",
  ];
}

/** @returns number of killed processes; 0 without a counter */
export function countMemoryKills(): number {
  for (const file of candidates()) {
    const found = /^oom_kill (\d+)$/m.exec(readText(file) ?? "")?.[1];
    if (found !== undefined) return Number(found);
  }
  return 0;
}

/** Returns the bytes available without swapping; undefined where the system does not report it. */
export function availableMemoryBytes(): number | undefined {
  const found = /^MemAvailable:\s+(\d+) kB$/m.exec(readText("/proc/meminfo") ?? "")?.[1];
  return found === undefined ? undefined : Number(found) * 1024;
}
