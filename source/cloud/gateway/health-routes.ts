// Health checks of the gateway, below /_/.
import type { IncomingMessage, ServerResponse } from "node:http";

export const internalPathPrefix = "/_/";

/**
 * Answers the health checks, which need no key.
 *
 * @param isReady false while the gateway stops
 * @returns false for any other path
 */
export function answerProbe(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  isReady: boolean,
): boolean {
  if (request.method !== "GET" && request.method !== "HEAD") return false;
  if (path === "/_/healthz") sendText(response, 200, "ok\n");
  else if (path !== "/_/readyz") return false;
  else if (isReady) sendText(response, 200, "ready\n");
  else sendText(response, 503, "not ready\n");
  return true;
}

function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, [
    ...["Content-Type", "text/plain; charset=utf-8"],
    ...["Content-Length", String(Buffer.byteLength(text)), "Cache-Control", "no-store"],
  ]);
  response.end(text);
}
