// The least that a client must send of a request's body. There is no limit on the time that a body takes
// as a whole: files of hundreds of gigabytes are uploaded.
import type { IncomingMessage } from "node:http";

export interface MinimumRate {
  /** At least so many within each window. */
  bytes: number;
  windowMs: number;
}

/** Some 170 bytes per second, a tenth of the slowest mobile connection. */
export const usualRate: MinimumRate = { bytes: 10_000, windowMs: 60_000 };

/**
 * Calls back, once at most, when less of a body has come than the minimum. To be called when the head has
 * arrived. Windows in which the reader of the body lags behind do not count.
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
  // Node emits no "close" for a request that is answered before its body ends, if the client leaves.
  const stop = () => {
    clearTimeout(timer);
    request.off("close", stop);
    socket.off("close", stop);
  };
  request.once("close", stop);
  socket.once("close", stop);
}
