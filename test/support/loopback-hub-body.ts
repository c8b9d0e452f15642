// Sends the body of a file to a client, well or badly.
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import type { ServedContent } from "./loopback-hub-content.ts";
import type { HubFault, HubRequest } from "./loopback-hub-requests.ts";

const slowPieceBytes = 16 * 1024;

/** Resolves when the answer has been sent, or as much of it as the fault lets through. */
export async function sendBody(
  response: ServerResponse,
  content: ServedContent,
  range: { start: number; end: number },
  request: HubRequest,
  fault: HubFault,
): Promise<void> {
  const { resetAfterBytes, truncateAfterBytes, stallAfterBytes, bytesPerSecond } = fault;
  const lastBytes = resetAfterBytes ?? truncateAfterBytes ?? stallAfterBytes;
  const end = lastBytes === undefined ? range.end : Math.min(range.end, range.start + lastBytes);
  const closed = once(response, "close");
  let handedOver: Promise<unknown> = Promise.resolve();
  for await (const whole of content.pieces(range.start, end)) {
    for (const piece of bytesPerSecond === undefined ? [whole] : slices(whole)) {
      if (response.destroyed) return;
      request.sentBytes += piece.length;
      const bytes = fault.garble ? piece.map((byte) => byte ^ 0xff) : piece;
      const { promise, resolve } = Promise.withResolvers<unknown>();
      handedOver = promise;
      if (!response.write(bytes, resolve)) await Promise.race([once(response, "drain"), closed]);
      if (bytesPerSecond !== undefined) await wait((piece.length / bytesPerSecond) * 1000);
    }
  }
  // A reset takes away what the system has not yet.
  if (lastBytes !== undefined) await Promise.race([handedOver, closed]);
  if (end === range.end && lastBytes === undefined) response.end();
  else if (resetAfterBytes !== undefined) response.socket?.resetAndDestroy();
  // With a client that waits for more, ending the answer would only tell node:http of a mistake.
  else if (truncateAfterBytes !== undefined) response.socket?.end();
}

function* slices(bytes: Buffer): Iterable<Buffer> {
  for (let at = 0; at < bytes.length; at += slowPieceBytes) {
    yield bytes.subarray(at, at + slowPieceBytes);
  }
}
