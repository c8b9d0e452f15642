// Headers sent to a replica: those of the request, and those the gateway adds.
import type { AdmittedRequest } from "./admitted-request.ts";
import type { RequestBody } from "./request-body.ts";
import { withoutHeaders } from "./request-head.ts";

const encodingHeaders: ReadonlySet<string> = new Set(["accept-encoding"]);
const traceHeaders: ReadonlySet<string> = new Set(["traceparent", "tracestate"]);

/**
 * @param revision that of the replica
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
    trace,
  }: Pick<AdmittedRequest, "id" | "head" | "path" | "origin" | "key" | "traffic" | "trace">,
  body: RequestBody | undefined,
  { revision, isUnencoded }: { revision: string; isUnencoded: boolean },
): string[] {
  const passed = trace === undefined ? head.passed : withoutHeaders(head.passed, traceHeaders);
  const headers = [
    ...(isUnencoded ? withoutHeaders(passed, encodingHeaders) : passed),
    ...origin.forwardHeaders,
    "X-Forwarded-Prefix",
    `/${path.organisation}/${path.app}`,
    "X-Dctl-Request-Id",
    id,
  ];
  // The gateway's span is the parent of the replica's.
  if (trace !== undefined) headers.push(...Object.entries(trace.headers).flat());
  if (key !== undefined) headers.push("X-Dctl-Key-Id", key.id);
  const { candidate } = traffic.routed;
  const routed = revision === candidate?.revision ? candidate : traffic.routed;
  const { upstreamAuthorization } = routed;
  if (upstreamAuthorization !== undefined) headers.push("Authorization", upstreamAuthorization);
  // The client sets the length of a complete body itself.
  if (head.contentLength !== undefined && body !== undefined && !body.isComplete) {
    headers.push("Content-Length", String(head.contentLength));
  }
  return headers;
}
