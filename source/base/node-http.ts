// Node's HTTP modules, loaded without what a process does not need to start.

/**
 * node:http. An `import` of it also evaluates its WebSocket, and so loads all of fetch: 60 ms of
 * processor time in each process.
 */
export const http = process.getBuiltinModule("node:http");

/** Returns node:https, which loads TLS at the first call: 25 ms of processor time. */
export function loadHttps() {
  return process.getBuiltinModule("node:https");
}
