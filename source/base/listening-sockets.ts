// Finds the processes that listen on ports of this machine, from /proc.
import { readFileSync } from "node:fs";
import { readdir, readFile, readlink } from "node:fs/promises";

export interface Listener {
  port: number;
  /** True when only this machine can reach it. */
  isLoopback: boolean;
  /** Names the socket among a process's files. */
  inode: string;
}

const tables = ["/proc/net/tcp", "/proc/net/tcp6"];
const listening = "0A";
const noInode = "0";

/** Returns all listening TCP sockets, IPv4 and IPv6. */
export async function readListeners(): Promise<Listener[]> {
  const texts = await Promise.all(
    tables.map((file) => readFile(file, "latin1").catch(() => "")), // IPv6 may be switched off
  );
  return texts.flatMap(parseListeners);
}

/** Parses lines of /proc/net/tcp: `0: 0100007F:1F40 00000000:0000 0A … inode …`, all in hexadecimal. */
export function parseListeners(text: string): Listener[] {
  return text.split("\n").flatMap((line) => {
    const [, local = "", , state, , , , , , inode = noInode] = line.trim().split(/\s+/);
    const [address = "", port = ""] = local.split(":");
    if (state !== listening || inode === noInode) return [];
    return [{ port: Number.parseInt(port, 16), isLoopback: isLoopbackAddress(address), inode }];
  });
}

/** Reads four-byte words in host byte order: the last two digits are the first byte. */
function isLoopbackAddress(hex: string): boolean {
  if (hex.length === 8) return hex.endsWith("7F");
  if (hex === "00000000000000000000000001000000") return true;
  return hex.startsWith("0000000000000000FFFF0000") && hex.endsWith("7F");
}

/** Returns the sockets of these processes; `isComplete` is false if access to one was denied. */
export async function readSocketsOf(
  processes: readonly number[],
): Promise<{ inodes: Set<string>; isComplete: boolean }> {
  const inodes = new Set<string>();
  let isComplete = true;
  for (const id of processes) {
    const folder = `/proc/${id}/fd`;
    const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "EACCES" || error.code === "EPERM") isComplete = false;
      return []; // the process has ended meanwhile
    });
    const links = await Promise.all(
      names.map((name) => readlink(`${folder}/${name}`).catch(() => "")),
    );
    for (const link of links) {
      const inode = /^socket:\[(\d+)\]$/.exec(link)?.[1];
      if (inode !== undefined) inodes.add(inode);
    }
  }
  return { inodes, isComplete };
}

/**
 * Names the process that listens on a port: "python3 (4711)".
 * @returns undefined if none listens, or if the system does not report it
 */
export async function portHolder(port: number): Promise<string | undefined> {
  const listeners = await readListeners();
  const wanted = listeners.filter((listener) => listener.port === port).map(({ inode }) => inode);
  if (wanted.length === 0) return undefined;
  const names = await readdir("/proc").catch(() => []); // only Linux has it
  for (const id of names.filter((name) => /^\d+$/.test(name)).map(Number)) {
    const { inodes } = await readSocketsOf([id]);
    if (wanted.some((inode) => inodes.has(inode))) return nameProcess(id);
  }
  return undefined;
}

/** Name of Node's first thread, which Linux shows as the name of the process. */
const threadOfNode = "MainThread";

/** Returns a readable name of a process: "python3 (4711)". */
export function nameProcess(id: number): string {
  try {
    const name = readFileSync(`/proc/${id}/comm`, "utf8").trim();
    return `${name === threadOfNode ? "node" : name} (${id})`;
  } catch {
    return `process ${id}`; // it has ended meanwhile
  }
}
