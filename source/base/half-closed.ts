// Clients that close their sending side behind a request and read on, as `nc -N` does.
//
// A client that has left looks the same until it resets what it is sent. nginx, Go and
// llama-server take both for gone. Here such a client is sent something that HTTP lets it skip until its
// reply is there, and one that has left is noticed at the second try.
import type { IncomingMessage, Server, ServerResponse } from "node:http";

const firstPauseMs = 50;
const longestPauseMs = 400;

/**
 * Has a server reply to half-closed clients; each of its requests is to be watched then. Over TLS the
 * connection closes as before: Node would keep those open that end amid their handshake.
 */
export function allowHalfClosed(server: Server): void {
  // Node reads it when a client closes its side, and documents it nowhere.
  Object.assign(server, { httpAllowHalfOpen: true });
}

/**
 * Closes the response within half a second after a half-closed client disconnects.
 *
 * @param probe sends something that is skipped within a reply that has begun. Defaults to a line break,
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
