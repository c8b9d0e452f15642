// Plain HTTP that is sent to an HTTPS address.
import type { Server } from "node:https";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { systemCode } from "../base/write-refusal.ts";

/**
 * Detects plain HTTP on an HTTPS address.
 *
 * @param answer called with OpenSSL's error and the connection, on which nothing was written
 */
export function onPlainHttp(server: Server, answer: (error: Error, socket: Socket) => void): void {
  const handshaking = new Map<string, Socket>();
  server.on("connection", (socket: Socket) => {
    const place = placeOf(socket);
    handshaking.set(place, socket);
    socket.once("close", () => handshaking.delete(place));
  });
  server.on("secureConnection", (socket: TLSSocket) => handshaking.delete(placeOf(socket)));
  server.on("tlsClientError", (error: Error, encrypted: TLSSocket) => {
    const socket = handshaking.get(placeOf(encrypted));
    const isPlain = systemCode(error) === "ERR_SSL_HTTP_REQUEST";
    if (isPlain && socket !== undefined) answer(error, socket);
  });
}

/** Identifies the connection behind its plain and its TLS socket. */
function placeOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
