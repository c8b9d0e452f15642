// The last words on a connection that is given up, whatever the other side does.
import type { Duplex } from "node:stream";

/** A client that reads has its reply by then; one that does not must not hold the socket. */
const graceMs = 1000;

/** Sends a last text and closes both directions: `end` alone waits for the client to close its own. */
export function endConnection(socket: Duplex, text = ""): void {
  socket.end(text);
  const timer = setTimeout(() => socket.destroy(), graceMs);
  timer.unref();
  socket.once("close", () => clearTimeout(timer));
}
