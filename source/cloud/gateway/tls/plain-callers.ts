// Finds the bare connections of those who speak plain HTTP to an HTTPS address: their requests can be
// answered in words, where else they would see a connection that just ends.
import type { Server } from "node:https";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";

/** @param answer is given OpenSSL's error and the connection, on which nothing has been written */
export function onPlainCaller(
  server: Server,
  answer: (error: Error, socket: Socket) => void,
): void {
  const handshaking = new Map<string, Socket>();
  server.on("connection", (socket: Socket) => {
    const place = placeOf(socket);
    handshaking.set(place, socket);
    socket.once("close", () => handshaking.delete(place));
  });
  server.on("secureConnection", (socket: TLSSocket) => handshaking.delete(placeOf(socket)));
  server.on("tlsClientError", (error: Error, encrypted: TLSSocket) => {
    const socket = handshaking.get(placeOf(encrypted));
    const isPlain = "code" in error && error.code === "ERR_SSL_HTTP_REQUEST";
    if (isPlain && socket !== undefined) answer(error, socket);
  });
}

/** Of the two objects that stand for one connection. */
function placeOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
