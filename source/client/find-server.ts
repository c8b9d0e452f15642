// Finds the server that a command should talk to.
import { ApiClient, type ServerConnection } from "./api-client.ts";
import { readServerFile } from "./server-file.ts";

export interface ServerSearch {
  stateFolder: string;
  /** The address that the user named, if any; then no other is looked at. */
  named: string | undefined;
  /** Where a server is when nothing was named. */
  usual: string;
  key?: string | undefined;
}

/** A server of ours that answers, or undefined. */
export async function findServer(where: ServerSearch): Promise<ServerConnection | undefined> {
  const recorded = where.named === undefined ? readServerFile(where.stateFolder)?.url : undefined;
  const addresses = new Set([recorded ?? where.named ?? where.usual, where.named ?? where.usual]);
  for (const url of addresses) {
    if ((await new ApiClient({ url }).identify()) !== "modelctl") continue;
    // Read after it answered: a server that has just started has written its token before.
    const token = readServerFile(where.stateFolder, url)?.token;
    return {
      url,
      ...(token !== undefined && { ownerToken: token }),
      ...(where.key !== undefined && { key: where.key }),
    };
  }
  return undefined;
}
