// Finds this user's running server. server.json records the newest one; each server also has a file
// named by its address, so that several can run, each with its token.
import { mkdirSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { unfinishedPath } from "../base/unfinished-files.ts";
import { ApiClient, type ServerConnection } from "./api-client.ts";
import { fieldsOf, optionalText } from "./reply-fields.ts";

export interface ServerFile {
  pid: number;
  url: string;
  /** PEM of the certificate of a server with HTTPS. */
  certificate?: string | undefined;
  /** File with the authority of a self-signed certificate. */
  authority?: string | undefined;
  /** Allows its holder any file that the user can read as a model. */
  token: string;
}

export function serverFilePath(stateFolder: string): string {
  return path.join(stateFolder, "server.json");
}

function addressFilePath(stateFolder: string, url: string): string {
  return path.join(stateFolder, "servers", `${new URL(url).host.replaceAll(/[^\w.]/g, "_")}.json`);
}

/** Records a server atomically, readable only by the user. */
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
 * @param url of the server; undefined: the newest one
 * @returns undefined without a readable record
 */
export function readServerFile(stateFolder: string, url?: string): ServerFile | undefined {
  const file = url === undefined ? serverFilePath(stateFolder) : addressFilePath(stateFolder, url);
  try {
    const fields = fieldsOf(JSON.parse(readFileSync(file, "utf8")));
    const { pid, url: found, token } = fields;
    if (typeof pid !== "number" || typeof found !== "string" || typeof token !== "string") {
      return undefined;
    }
    const [certificate, authority] = [fields.certificate, fields.authority].map(optionalText);
    return {
      pid,
      url: found,
      token,
      ...(certificate !== undefined && { certificate }),
      ...(authority !== undefined && { authority }),
    };
  } catch {
    return undefined; // missing or damaged
  }
}

/** Removes the record of a server unless another one has replaced it. */
export function removeServerFile(stateFolder: string, server: ServerFile): void {
  for (const [file, url] of [
    [addressFilePath(stateFolder, server.url), server.url],
    [serverFilePath(stateFolder), undefined],
  ] as const) {
    // `rmSync` would report a read-only disk without its code.
    if (readServerFile(stateFolder, url)?.token === server.token) unlinkSync(file);
  }
}

export interface ServerSearch {
  stateFolder: string;
  /** Address named by the user, if any; no other is tried then. */
  named: string | undefined;
  /** Default address. */
  usual: string;
  key?: string | undefined;
}

/**
 * Returns the connection to a server of this user with HTTPS; also for a URL with plain HTTP, as an
 * address without a scheme has. Undefined for other servers.
 */
export function secureConnection(stateFolder: string, url: string): ServerConnection | undefined {
  const recorded = readServerFile(stateFolder, url);
  if (recorded?.certificate === undefined) return undefined;
  const { url: found, certificate, authority } = recorded;
  return { url: found, certificate, ...(authority !== undefined && { authority }) };
}

/** Finds a modelctl server that answers. */
export async function findServer(where: ServerSearch): Promise<ServerConnection | undefined> {
  const recorded = where.named === undefined ? readServerFile(where.stateFolder)?.url : undefined;
  const addresses = new Set([recorded ?? where.named ?? where.usual, where.named ?? where.usual]);
  for (const url of addresses) {
    const secure = secureConnection(where.stateFolder, url);
    if ((await new ApiClient(secure ?? { url }).identify()) !== "modelctl") continue;
    // Read after it answered: a server that is starting writes its token first.
    const token = readServerFile(where.stateFolder, url)?.token;
    return {
      ...(secure ?? { url }),
      ...(token !== undefined && { ownerToken: token }),
      ...(where.key !== undefined && { key: where.key }),
    };
  }
  return undefined;
}
