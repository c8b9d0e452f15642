// Minimum rate for request bodies. Their total time has no limit, as uploads may be hundreds of gigabytes.
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

export interface MinimumRate {
  /** Required in each window. */
  bytes: number;
  windowMs: number;
}

/** About 170 bytes per second, a tenth of the slowest mobile connection. */
export const usualRate: MinimumRate = { bytes: 10_000, windowMs: 60_000 };

/**
 * Calls back, at most once, when a body arrives more slowly than the minimum. Call it when the request's
 * head has arrived. Windows in which the reader of the body lags behind do not count.
 */
export function watchBodyRate(
  request: IncomingMessage,
  { bytes, windowMs }: MinimumRate,
  onSlow: () => void,
): void {
  const { socket } = request;
  let counted = socket.bytesRead;
  const timer = setTimeout(() => {
    const received = socket.bytesRead - counted;
    counted = socket.bytesRead;
    if (received >= bytes || request.readableLength > 0) timer.refresh();
    else if (!request.complete) onSlow();
  }, windowMs);
  const watches = watchesOn(socket);
  const stop = () => {
    clearTimeout(timer);
    request.off("close", stop);
    watches.delete(stop);
  };
  request.once("close", stop);
  watches.add(stop);
}

/** Pipelined requests share one listener of their connection. */
const watchesBySocket = new WeakMap<Socket, Set<() => void>>();

/**
 * Returns the watches that end with a connection: if the client leaves, Node emits no "close" for a
 * request that was answered before its body ended.
 */
function watchesOn(socket: Socket): Set<() => void> {
  const known = watchesBySocket.get(socket);
  if (known !== undefined) return known;
  const watches = new Set<() => void>();
  watchesBySocket.set(socket, watches);
  socket.once("close", () => {
    for (const stop of watches) stop();
  });
  return watches;
}
