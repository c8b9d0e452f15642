// Caller of an admin request: the user over the socket, or the holder of an admin key.
import type { IncomingMessage } from "node:http";

/** Key that authorised a request. */
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
