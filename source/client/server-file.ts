// server.json: where the running server of this user is, for the commands that look for it.
//
// The newest server is in server.json; each server also has a file under its own address, so that
// several can run and each keeps its token.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { unfinishedPath } from "../base/unfinished-files.ts";

export interface ServerFile {
  pid: number;
  url: string;
  /** Lets its holder name any file that the user can read. */
  token: string;
}

export function serverFilePath(stateFolder: string): string {
  return path.join(stateFolder, "server.json");
}

function addressFilePath(stateFolder: string, url: string): string {
  return path.join(stateFolder, "servers", `${new URL(url).host.replaceAll(/[^\w.]/g, "_")}.json`);
}

/** Written whole or not at all, readable by the user alone. */
export function writeServerFile(stateFolder: string, server: ServerFile): void {
  for (const file of [addressFilePath(stateFolder, server.url), serverFilePath(stateFolder)]) {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    const temporary = unfinishedPath(file);
    try {
      writeFileSync(temporary, `${JSON.stringify(server)}\n`, { mode: 0o600 });
      renameSync(temporary, file);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    }
  }
}

/**
 * @param url the server to look for; undefined: the newest one
 * @returns undefined when none is recorded, or the record cannot be read
 */
export function readServerFile(stateFolder: string, url?: string): ServerFile | undefined {
  const file = url === undefined ? serverFilePath(stateFolder) : addressFilePath(stateFolder, url);
  try {
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (value === null || typeof value !== "object") return undefined;
    const { pid, url: found, token } = value as Record<string, unknown>;
    if (typeof pid !== "number" || typeof found !== "string" || typeof token !== "string") {
      return undefined;
    }
    return { pid, url: found, token };
  } catch {
    return undefined; // missing, or half-written by another version: no server is known
  }
}

/** Removes the record of a server unless another one has replaced it. */
export function removeServerFile(stateFolder: string, server: ServerFile): void {
  for (const [file, url] of [
    [addressFilePath(stateFolder, server.url), server.url],
    [serverFilePath(stateFolder), undefined],
  ] as const) {
    if (readServerFile(stateFolder, url)?.token === server.token) rmSync(file, { force: true });
  }
}
