// Finds the server that a command should talk to.
import { ApiClient, type ServerConnection } from "./api-client.ts";
import { readServerFile } from "./server-file.ts";

export interface WhereToLook {
  stateFolder: string;
  /** The address that the user named, if any; then no other is looked at. */
  named: string | undefined;
  /** Where a server is when nothing was named. */
  usual: string;
  key?: string | undefined;
}

/** A server of ours that answers, or undefined. */
export async function findServer(where: WhereToLook): Promise<ServerConnection | undefined> {
  const recorded = readServerFile(where.stateFolder);
  const key = where.key === undefined ? {} : { key: where.key };
  const candidates: ServerConnection[] = [];
  if (recorded !== undefined && (where.named === undefined || where.named === recorded.url)) {
    candidates.push({ url: recorded.url, ownerToken: recorded.token, ...key });
  }
  const address = where.named ?? where.usual;
  if (recorded?.url !== address) candidates.push({ url: address, ...key });
  for (const connection of candidates) {
    if ((await new ApiClient(connection).identify()) === "modelctl") return connection;
  }
  return undefined;
}
