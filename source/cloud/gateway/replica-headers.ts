// Headers sent to a replica: those of the request, and those the gateway adds.
import type { AdmittedRequest } from "./admitted-request.ts";
import type { RequestBody } from "./request-body.ts";
import { withoutHeaders } from "./request-head.ts";

const encodingHeaders: ReadonlySet<string> = new Set(["accept-encoding"]);

/**
 * @param isUnencoded leaves out Accept-Encoding, since a head without an encoding was already sent
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
  }: Pick<AdmittedRequest, "id" | "head" | "path" | "origin" | "key" | "traffic">,
  body: RequestBody | undefined,
  { isUnencoded }: { isUnencoded: boolean },
): string[] {
  const headers = [
    ...(isUnencoded ? withoutHeaders(head.passed, encodingHeaders) : head.passed),
    ...origin.forwardHeaders,
    "X-Forwarded-Prefix",
    `/${path.organisation}/${path.app}`,
    "X-Dctl-Request-Id",
    id,
  ];
  if (key !== undefined) headers.push("X-Dctl-Key-Id", key.id);
  const { upstreamAuthorization } = traffic.routed;
  if (upstreamAuthorization !== undefined) headers.push("Authorization", upstreamAuthorization);
  // The client sets the length of a complete body itself.
  if (head.contentLength !== undefined && body !== undefined && !body.isComplete) {
    headers.push("Content-Length", String(head.contentLength));
  }
  return headers;
}
