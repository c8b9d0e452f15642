// Unix sockets of the server's processes: HTTP that only their user can reach.
import { rmSync } from "node:fs";
import type { ClientRequest, IncomingMessage, Server } from "node:http";
import { http } from "../base/node-http.ts";

/** Listens with mode 0600. Removes the socket of a dead process: the caller holds its lock. */
export async function listenOnSocket(server: Server, socketPath: string): Promise<void> {
  rmSync(socketPath, { force: true });
  const umask = process.umask(0o177);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(socketPath, resolve);
    });
  } finally {
    process.umask(umask);
  }
}

/** Results have the headers of replicas. */
const maxHeaderSize = 128 * 1024;

export interface SocketRequest {
  socketPath: string;
  method: "GET" | "POST" | "DELETE";
  path: string;
  body?: Buffer | undefined;
  onRequest?: ((request: ClientRequest) => void) | undefined;
}

/** Rejects if the connection fails before the reply's head. */
export async function askSocket(options: SocketRequest): Promise<IncomingMessage> {
  const { socketPath, method, path, body = Buffer.alloc(0), onRequest } = options;
  return await new Promise((resolve, reject) => {
    const request = http.request(
      {
        ...{ socketPath, method, path, maxHeaderSize, agent: false },
        headers: { "content-length": body.length },
      },
      resolve,
    );
    request.once("error", reject);
    onRequest?.(request);
    request.end(body);
  });
}
