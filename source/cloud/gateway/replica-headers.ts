// What a replica is sent of a request's headers, and what the gateway tells it besides.
import type { Arrival } from "./arrival.ts";
import type { RequestBody } from "./request-body.ts";

/**
 * @param isUnencoded the reply's head has gone out already, and names no encoding
 * @returns name, value, name, value
 */
export function replicaHeaders(
  {
    id,
    head,
    path,
    origin,
    key,
    traffic,
  }: Pick<Arrival, "id" | "head" | "path" | "origin" | "key" | "traffic">,
  body: RequestBody | undefined,
  { isUnencoded }: { isUnencoded: boolean },
): string[] {
  const headers = [
    ...(isUnencoded ? withoutEncodings(head.passed) : head.passed),
    ...origin.forwardHeaders,
    "X-Forwarded-Prefix",
    `/${path.organisation}/${path.app}`,
    "X-Dctl-Request-Id",
    id,
  ];
  if (key !== undefined) headers.push("X-Dctl-Key-Id", key.id);
  const { upstreamAuthorization } = traffic.routed;
  if (upstreamAuthorization !== undefined) headers.push("Authorization", upstreamAuthorization);
  // What is here as a whole is counted when it is sent.
  if (head.contentLength !== undefined && body !== undefined && !body.isComplete) {
    headers.push("Content-Length", String(head.contentLength));
  }
  return headers;
}

function withoutEncodings(headers: readonly string[]): string[] {
  return headers.filter((_, index) => {
    return headers[index - (index % 2)]?.toLowerCase() !== "accept-encoding";
  });
}
