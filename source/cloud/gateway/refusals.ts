// Errors of the gateway: their types and statuses, a body that all clients understand, and the response.
import type { IncomingMessage, ServerResponse } from "node:http";

/** Error types with their statuses, as listed in docs/gateway.md. */
export const refusalStatuses = {
  bad_request: 400,
  request_in_progress: 400,
  auth_missing: 401,
  auth_scheme: 401,
  auth_invalid: 401,
  auth_forbidden: 403,
  untrusted_peer: 403,
  path_reserved: 403,
  app_not_found: 404,
  not_found: 404,
  request_not_found: 404,
  request_stalled: 408,
  app_deleted: 410,
  body_too_large: 413,
  uri_too_long: 414,
  expectation_failed: 417,
  idempotency_mismatch: 422,
  queue_full: 429,
  rate_limited: 429,
  headers_too_large: 431,
  client_cancelled: 499,
  client_disconnected: 499,
  key_revoked: 401,
  unexpected: 500,
  runner_error: 502,
  runner_invalid_response: 502,
  runner_not_streaming: 502,
  result_too_large: 502,
  app_paused: 503,
  cold: 503,
  overloaded: 503,
  queue_unavailable: 503,
  runner_connection_refused: 503,
  runner_disconnected: 503,
  runner_scheduling_failure: 503,
  shutting_down: 503,
  starting: 503,
  startup_failed: 503,
  queue_timeout: 504,
  request_timeout: 504,
  startup_timeout: 504,
} as const satisfies Record<string, number>;

export type ErrorType = keyof typeof refusalStatuses;

/** Reason why a request is not passed on. */
export interface Refusal {
  type: ErrorType;
  /** Sentence for the caller: what failed, why, what to do. */
  detail: string;
  /** Status of the replica, if the gateway reports its error in a stream. */
  status?: number;
  retryAfterSeconds?: number;
  /** Name, value, name, value. */
  headers?: readonly string[];
  /** Closes the connection after the response. */
  closes?: boolean;
}

/** Status of the error, even if it could not be sent. */
export function statusOf({ type, status }: Refusal): number {
  return status ?? refusalStatuses[type];
}

/** Body for clients that read `detail` and for those that read OpenAI's `error`. */
export function refusalBody({ type, detail }: Refusal, requestId: string): string {
  return JSON.stringify({
    detail,
    error_type: type,
    error: { message: detail, type, code: type, param: null },
    request_id: requestId,
  });
}

/** Name, value, name, value. */
export function refusalHeaders(refusal: Refusal, requestId: string, bodyBytes: number): string[] {
  const headers = [
    ...["Content-Type", "application/json", "Content-Length", String(bodyBytes)],
    ...["X-Dctl-Error-Type", refusal.type, "X-Dctl-Request-Id", requestId],
  ];
  if (refusal.retryAfterSeconds !== undefined) {
    headers.push("Retry-After", String(Math.max(1, Math.ceil(refusal.retryAfterSeconds))));
  }
  if (refusal.headers !== undefined) headers.push(...refusal.headers);
  return headers;
}

export interface RefusalOptions {
  requestId: string;
  lingerMs: number;
  /** True if the client waits for 100 Continue before it sends the body. */
  holdsBody: boolean;
}

/** Sends an error of the gateway. Reads the rest of an incoming body for a short time. */
export function sendRefusal(
  request: IncomingMessage,
  response: ServerResponse,
  refusal: Refusal,
  { requestId, lingerMs, holdsBody }: RefusalOptions,
): void {
  if (response.headersSent || response.destroyed) return;
  const body = Buffer.from(refusalBody(refusal, requestId));
  const headers = refusalHeaders(refusal, requestId, body.length);
  const unreadBytes = request.complete ? 0 : bodyBytes(request);
  const isLong = unreadBytes > shortBodyBytes;
  const closes = isLong || refusal.closes === true || (holdsBody && unreadBytes > 0);
  if (closes) headers.push("Connection", "close");
  response.writeHead(refusalStatuses[refusal.type], headers);
  if (!isLong || holdsBody) {
    request.resume();
    response.end(body);
    return;
  }
  // Closing while bytes arrive resets the connection, and the client would miss the response.
  if (request.method !== "HEAD") response.write(body);
  const finish = () => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(finish, lingerMs);
  request.once("end", finish);
  request.once("close", () => clearTimeout(timer));
  request.resume();
}

/** Rest of a body up to which it is read, so that the connection can be reused. */
const shortBodyBytes = 64 * 1024;

/** Announced size of the body; infinite if chunked. */
function bodyBytes({ headers }: IncomingMessage): number {
  if (headers["transfer-encoding"] !== undefined) return Number.POSITIVE_INFINITY;
  return Number(headers["content-length"] ?? 0);
}
