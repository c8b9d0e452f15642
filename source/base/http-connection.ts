// Connections of an HTTP server: closing them, framing, and clients that stop sending.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

/** Comment sent in silent event streams to keep the connection open; readers skip it. */
export const keepAliveComment = ": keep-alive\n\n";

/** Time for a client to read its last reply; one that does not read must not hold the socket. */
const closingGraceMs = 1000;

/** Sends a last text and closes both directions: `end` alone waits for the client to close its own. */
export function endConnection(socket: Duplex, text = ""): void {
  socket.end(text);
  const timer = setTimeout(() => socket.destroy(), closingGraceMs);
  timer.unref();
  socket.once("close", () => clearTimeout(timer));
}

/**
 * True for a Transfer-Encoding that can be decoded (RFC 9112 section 6.1). Node decodes `chunked` and
 * ignores any coding before it, which would leave a body compressed.
 *
 * @param value of the header, if present
 */
export function isKnownCoding(value: string | undefined): boolean {
  return value === undefined || value.trim().toLowerCase() === "chunked";
}

/** Node's code for a Transfer-Encoding header that it refuses itself, such as `identity`. */
export const codingRefusedCode = "HPE_INVALID_TRANSFER_ENCODING";

export const codingUnknown =
  "The Transfer-Encoding of the request is not known. Send chunked alone, or a Content-Length.";

const firstPauseMs = 50;
const longestPauseMs = 400;

/**
 * Makes a server reply to clients that close their sending side after a request and keep reading, as
 * `nc -N` does; pass each request to `watchHalfClosed`. Over TLS the connection closes as before: Node
 * would keep connections open that end during their handshake.
 */
export function allowHalfClosed(server: Server): void {
  // Undocumented: Node reads it when a client closes its side.
  Object.assign(server, { httpAllowHalfOpen: true });
}

/**
 * Closes the response within half a second after a half-closed client disconnects. Such a client looks
 * like one that has left, and nginx, Go and llama-server treat both as gone. We send it bytes that HTTP
 * lets it skip: the second try fails if the client has left.
 *
 * @param probe sends bytes that are skipped within a reply that has begun. Defaults to a line break,
 *   for streams of lines or events
 */
export function watchHalfClosed(
  { socket, httpVersionMinor }: IncomingMessage,
  response: ServerResponse,
  probe: () => void = () => response.write("\n"),
): void {
  let timer: NodeJS.Timeout | undefined;
  const probeIn = (pauseMs: number) => {
    timer = setTimeout(() => {
      if (response.headersSent) {
        if (!response.writableEnded && !response.writableNeedDrain) probe();
      } else if (httpVersionMinor > 0) {
        response.writeContinue();
      } else {
        response.destroy(); // HTTP/1.0 has nothing to skip before a reply
      }
      probeIn(Math.min(pauseMs * 2, longestPauseMs));
    }, pauseMs);
  };
  const onEnd = () => probeIn(firstPauseMs);
  const begin = () => {
    if (socket.readableEnded) onEnd();
    else socket.once("end", onEnd);
  };
  // Pipelined requests take their turns on the connection.
  if (response.socket === null) response.once("socket", begin);
  else begin();
  response.once("close", () => {
    socket.off("end", onEnd);
    clearTimeout(timer);
  });
}
