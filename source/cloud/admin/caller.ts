// Who asks: nobody in particular over the socket, the holder of a key over an address.
import type { IncomingMessage } from "node:http";

const callers = new WeakMap<IncomingMessage, string>();

/** Notes the id of the key that a request was let in with. */
export function noteCaller(request: IncomingMessage, keyId: string): void {
  callers.set(request, keyId);
}

export function callerOf(request: IncomingMessage): string | undefined {
  return callers.get(request);
}
