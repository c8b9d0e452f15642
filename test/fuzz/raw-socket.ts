// Raw bytes sent over a socket in pieces, and the complete response.
import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

export interface RawConversation {
  /** Pieces, sent with a pause in between. */
  pieces: readonly Buffer[];
  /** Closes the sending side after the last piece. */
  isHalfClosed: boolean;
}

/** Idle time after which the client disconnects. */
const patienceMs = 150;
const pauseMs = 5;

/** Resolves with the received bytes, even if the connection was cut. */
export async function converse(url: string, conversation: RawConversation): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  const received: Buffer[] = [];
  const ended = new Promise<void>((resolve) => {
    socket.once("close", () => resolve());
    socket.once("end", () => resolve());
  });
  socket.on("error", () => {}); // a cut connection is a valid response
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
