// Who asks: the user himself over the socket, the holder of an admin key over an address.
import type { IncomingMessage } from "node:http";

/** The key that a request was let in with. */
export interface Caller {
  keyId: string;
  organisation: string;
}

const callers = new WeakMap<IncomingMessage, Caller>();

export function noteCaller(request: IncomingMessage, caller: Caller): void {
  callers.set(request, caller);
}

/** @returns undefined for the user who owns the socket */
export function callerOf(request: IncomingMessage): Caller | undefined {
  return callers.get(request);
}
