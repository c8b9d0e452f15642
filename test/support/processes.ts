// Checks which processes are alive.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";

/** Counts a killed process as ended before its new parent reaps it, which takes a second in containers. */
export function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return !isDefunct(processId);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

function isDefunct(processId: number): boolean {
  if (process.platform !== "linux") return false;
  try {
    const facts = readFileSync(`/proc/${processId}/stat`, "utf8");
    // The name before the state may hold brackets and blanks.
    return facts.slice(facts.lastIndexOf(")")).startsWith(") Z");
  } catch {
    return true; // it has gone in between
  }
}

export interface FoundProcess {
  id: number;
  /** Command and environment. */
  text: string;
}

/** Processes that were started with this home folder: their environment tells. */
export function processesOfHome(home: string): FoundProcess[] {
  const all = process.platform === "linux" ? readProcesses() : listProcesses();
  return all.filter(({ text }) => text.includes(`HOME=${home}`));
}

/** Reads Linux's own files, in a fraction of the time of `ps`. */
function readProcesses(): FoundProcess[] {
  const ids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return ids.flatMap((id) => {
    try {
      const facts = ["cmdline", "environ"].map((name) =>
        readFileSync(`/proc/${id}/${name}`, "utf8"),
      );
      return [{ id: Number(id), text: facts.join(" ").replaceAll("\0", " ") }];
    } catch {
      return []; // it has gone in between, or belongs to another user
    }
  });
}

function listProcesses(): FoundProcess[] {
  const text = execFileSync("ps", ["axeww", "-o", "pid=,args="], {
    encoding: "utf8",
    maxBuffer: 64 * 1024 ** 2,
    env: { PATH: process.env.PATH },
  });
  return text.split("\n").map((line) => ({ id: Number(/^\s*(\d+)/.exec(line)?.[1]), text: line }));
}

/** Folders of runners in memory or, where there is no such folder, among the temporary files. */
export function runnerFolders(processId: number): string[] {
  return ["/dev/shm", tmpdir()].flatMap((folder) => {
    try {
      return readdirSync(folder).filter((name) => name.startsWith(`modelctl-runner-${processId}-`));
    } catch {
      return []; // not every system has this folder
    }
  });
}

/** Runners that a process has started and that are alive. */
export function runnersOf(parent: number): number[] {
  const children = childrenOf(parent);
  if (children !== undefined) return children.filter(isRunner);
  const text = execFileSync("ps", ["axww", "-o", "pid=,ppid=,args="], {
    encoding: "utf8",
    maxBuffer: 64 * 1024 ** 2,
  });
  return text.split("\n").flatMap((line) => {
    const [, id, owner, words = ""] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return Number(owner) === parent && words.includes("runner-main") ? [Number(id)] : [];
  });
}

/** Reads Linux's own files; undefined on a system without them. */
function childrenOf(parent: number): number[] | undefined {
  if (!existsSync(`/proc/self/task/${process.pid}/children`)) return undefined;
  try {
    return readdirSync(`/proc/${parent}/task`).flatMap((task) => {
      const text = readFileSync(`/proc/${parent}/task/${task}/children`, "utf8").trim();
      return text === "" ? [] : text.split(" ").map(Number);
    });
  } catch {
    return []; // it has gone
  }
}

function isRunner(id: number): boolean {
  try {
    return readFileSync(`/proc/${id}/cmdline`, "utf8").includes("runner-main");
  } catch {
    return false; // it has gone in between
  }
}
