// What a replica is sent of a request's headers, and what the gateway tells it besides.
import type { Arrival } from "./arrival.ts";
import type { RequestBody } from "./request-body.ts";

/** @returns name, value, name, value */
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
): string[] {
  const headers = [
    ...head.passed,
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
