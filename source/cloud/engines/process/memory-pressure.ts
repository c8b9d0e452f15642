// Whether the kernel ends processes for want of memory: counted by the control group that we are in.
import { readFileSync } from "node:fs";

/** The counter `oom_kill` of version 2 and of version 1, inside a container and outside. */
function candidates(): string[] {
  const groups = read("/proc/self/cgroup").split("\n");
  const version2 = groups.find((line) => line.startsWith("0::"))?.slice(3) ?? "/";
  const version1 = groups.find((line) => line.includes(":memory:"))?.split(":")[2] ?? "/";
  return [
    `/sys/fs/cgroup${version2}/memory.events`,
    "/sys/fs/cgroup/memory.events",
    `/sys/fs/cgroup/memory${version1}/memory.oom_control`,
    "/sys/fs/cgroup/memory/memory.oom_control",
  ];
}

/** @returns how many processes were ended so; 0 where nobody counts */
export function countMemoryKills(): number {
  for (const file of candidates()) {
    const found = /^oom_kill (\d+)$/m.exec(read(file))?.[1];
    if (found !== undefined) return Number(found);
  }
  return 0;
}

/** Memory that can be had without swapping, in bytes; undefined where the system does not tell. */
export function availableMemoryBytes(): number | undefined {
  const found = /^MemAvailable:\s+(\d+) kB$/m.exec(read("/proc/meminfo"))?.[1];
  return found === undefined ? undefined : Number(found) * 1024;
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return ""; // not every system has it
  }
}
