// server.json: where the running server of this user is, for the commands that look for it.
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

export interface ServerFile {
  pid: number;
  url: string;
  /** Lets its holder name any file that the user can read. */
  token: string;
}

export function serverFilePath(stateFolder: string): string {
  return path.join(stateFolder, "server.json");
}

/** Written whole or not at all, readable by the user alone. */
export function writeServerFile(stateFolder: string, server: ServerFile): void {
  mkdirSync(stateFolder, { recursive: true, mode: 0o700 });
  const file = serverFilePath(stateFolder);
  const temporary = `${file}.${process.pid}`;
  writeFileSync(temporary, `${JSON.stringify(server)}\n`, { mode: 0o600 });
  chmodSync(temporary, 0o600);
  renameSync(temporary, file);
}

/** Undefined when there is none, or when it cannot be read. */
export function readServerFile(stateFolder: string): ServerFile | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(serverFilePath(stateFolder), "utf8"));
    if (value === null || typeof value !== "object") return undefined;
    const { pid, url, token } = value as Record<string, unknown>;
    if (typeof pid !== "number" || typeof url !== "string" || typeof token !== "string") {
      return undefined;
    }
    return { pid, url, token };
  } catch {
    return undefined; // missing or half-written by an older version: no server is known
  }
}

/** Removes it if it is still about this server. */
export function removeServerFile(stateFolder: string, token: string): void {
  if (readServerFile(stateFolder)?.token === token) {
    rmSync(serverFilePath(stateFolder), { force: true });
  }
}
