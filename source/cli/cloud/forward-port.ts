// A port of this machine whose connections go to a port next to a replica.
import { createServer, type Server, type Socket } from "node:net";
import { Readable } from "node:stream";
import { portHolder } from "../../base/listening-sockets.ts";
import { describeError, ProductError } from "../../base/product-error.ts";
import { systemCode } from "../../base/write-refusal.ts";
import type { AdminClient } from "../../cloud/admin/admin-client.ts";
import { cloudErrors } from "../../cloud/errors.ts";
import { usageError } from "../errors.ts";

export interface Ports {
  /** 0 for any free port. */
  local: number;
  remote: number;
}

const localHost = "127.0.0.1";

/** Reads `REMOTE` or `LOCAL:REMOTE`. @throws ProductError `COMMAND_USAGE` */
export function readPorts(text: string): Ports {
  const [, first = "", second = first] = /^(\d{1,5})(?::(\d{1,5}))?$/.exec(text) ?? [];
  const ports = { local: Number(first), remote: Number(second) };
  const isValid = first !== "" && ports.remote > 0 && Math.max(ports.local, ports.remote) < 65_536;
  if (isValid) return ports;
  throw usageError(`${text} is not a port.`, "Use REMOTE or LOCAL:REMOTE, such as 9000:8000.");
}

/**
 * Forwards connections until the signal aborts. Connects once beforehand, so that a mistake shows at once.
 *
 * @param onListening gets the local port
 * @param onRefused gets the reason why a connection failed, once for each reason in a row
 * @throws ProductError `CLOUD_ADDRESS_UNUSABLE`; those of the server that stay, such as
 *   `CLOUD_REPLICA_UNKNOWN`
 */
export async function forwardPort(
  client: AdminClient,
  replica: string,
  { local, remote }: Ports,
  options: {
    onListening: (port: number) => void;
    onRefused: (error: ProductError) => void;
    signal: AbortSignal;
  },
): Promise<void> {
  const { onListening, onRefused, signal } = options;
  const sockets = new Set<Socket>();
  const ended = Promise.withResolvers<void>();
  let refusal: string | undefined;
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    connectThrough(client, replica, remote, socket).then(
      () => {
        refusal = undefined;
      },
      (error: unknown) => {
        socket.resetAndDestroy();
        try {
          report(error);
        } catch (lasting) {
          ended.reject(lasting);
        }
      },
    );
  });
  const report = (error: unknown) => {
    if (!(error instanceof ProductError) || !passing.has(error.code)) throw error;
    if (error.message !== refusal) onRefused(error);
    refusal = error.message;
  };
  // It may reject before it is awaited.
  ended.promise.catch(() => {});
  signal.addEventListener("abort", () => ended.reject(signal.reason));
  try {
    const port = await listen(server, local);
    const empty = Readable.from([]);
    await client.forward(replica, remote, empty).then((reply) => reply.destroy(), report);
    onListening(port);
    await ended.promise;
  } finally {
    server.close();
    for (const socket of sockets) socket.destroy();
  }
}

/** Codes after which a later connection may succeed. */
const passing: ReadonlySet<string> = new Set([
  cloudErrors.portClosed.code,
  cloudErrors.serverUnreachable.code,
]);

async function connectThrough(
  client: AdminClient,
  replica: string,
  port: number,
  socket: Socket,
): Promise<void> {
  socket.on("error", () => socket.destroy());
  const reply = await client.forward(replica, port, socket);
  reply.on("error", () => socket.destroy());
  socket.once("close", () => reply.destroy());
  reply.pipe(socket);
}

async function listen(server: Server, port: number): Promise<number> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, localHost, resolve);
    });
  } catch (cause) {
    const isTaken = systemCode(cause) === "EADDRINUSE";
    const holder = (isTaken ? await portHolder(port) : undefined) ?? "another program";
    const reason = isTaken ? `already in use by ${holder}` : describeError(cause);
    throw new ProductError(cloudErrors.addressUnusable, {
      message: `Cannot listen on ${localHost}:${port}: ${reason}.`,
      hint: `Choose another local port: ${port + 1000}:${port}, or 0:${port} for any free one.`,
      cause,
    });
  }
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : port;
}
