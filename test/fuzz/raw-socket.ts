// Bytes over a socket as they are, in pieces, and all that comes back.
import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

export interface RawConversation {
  /** Written one after the other, with a moment in between. */
  pieces: readonly Buffer[];
  /** The sending side is closed behind the last piece. */
  isHalfClosed: boolean;
}

/** A server may keep a connection that says nothing: then we leave. */
const patienceMs = 150;
const pauseMs = 5;

/** Resolves with what came, also where the connection was cut. */
export async function converse(url: string, conversation: RawConversation): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  const received: Buffer[] = [];
  const ended = new Promise<void>((resolve) => {
    socket.once("close", () => resolve());
    socket.once("end", () => resolve());
  });
  socket.on("error", () => {}); // cut off: that is an answer, too
  socket.on("data", (piece) => received.push(piece));
  for (const piece of conversation.pieces) {
    socket.write(piece);
    await wait(pauseMs);
  }
  if (conversation.isHalfClosed) socket.end();
  const patience = new AbortController();
  const tooLong = wait(patienceMs, undefined, { signal: patience.signal }).catch(() => {});
  await Promise.race([ended, tooLong]);
  patience.abort();
  socket.destroy();
  return Buffer.concat(received).toString("latin1");
}
