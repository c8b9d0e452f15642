// Head of a response: the replica's headers, and those the gateway adds.
import type { RawHeaders } from "./attempt.ts";
import type { ReplyHead } from "./reply.ts";
import { isOfOneHop, namesInConnection, withoutHeaders } from "./request-head.ts";

export interface HeadFacts {
  requestId: string;
  replica: string;
  revision: string;
  queueMs: number;
  /** Milliseconds from dispatch to the replica's head. */
  replicaMs: number;
  isColdStart: boolean;
}

export interface ReadReplyHead extends ReplyHead {
  /** Unencoded JSON, lines of it or events, from which token counts can be read. */
  isReadable: boolean;
  /** Unencoded events or lines of JSON, of which the last may be an error. */
  mayEndWithError: boolean;
  /** Unencoded events, with or without a known length. */
  hasEvents: boolean;
  contentType: string;
  /** Neither length nor chunks mark the end of the body, so that the end of the connection does. */
  endsByClosing: boolean;
  /** The replica asks to be replaced. */
  wantsStop: boolean;
}

const ownPrefix = "x-dctl-";
/** Characters not allowed in a status line: https://www.rfc-editor.org/rfc/rfc9112#section-4 */
const unprintable = /[^\t\x20-\x7e\x80-\xff]/;

export function readReplyHead(
  status: number,
  raw: RawHeaders,
  statusText: string,
  facts: HeadFacts,
): ReadReplyHead {
  let headers: string[] = [];
  let dropped: string[] | undefined;
  let contentType = "";
  let isEncoded = false;
  let hasLength = false;
  let hasChunks = false;
  let wantsStop = false;
  for (let index = 0; index < raw.length; index += 2) {
    const name = textOf(raw[index]);
    const value = textOf(raw[index + 1]);
    const lowerCaseName = name.toLowerCase();
    if (lowerCaseName === "content-type") contentType = value;
    else if (lowerCaseName === "content-encoding") isEncoded = value !== "identity";
    else if (lowerCaseName === "content-length") hasLength = true;
    else if (lowerCaseName === "transfer-encoding") hasChunks = true;
    else if (lowerCaseName === "connection") dropped = namesInConnection(value);
    else if (lowerCaseName === "x-dctl-stop-runner") wantsStop = value.trim() === "1";
    if (isOfOneHop(lowerCaseName) || lowerCaseName.startsWith(ownPrefix)) continue;
    headers.push(name, value);
  }
  if (dropped !== undefined && dropped.length > 0)
    headers = withoutHeaders(headers, new Set(dropped));
  addFacts(headers, facts);
  const isEvents = contentType.startsWith("text/event-stream");
  const isLines = contentType.startsWith("application/x-ndjson");
  const isJson = contentType.startsWith("application/json");
  const hasEvents = isEvents && !isEncoded;
  return {
    status,
    statusText: unprintable.test(statusText) ? "" : statusText,
    headers,
    isEventStream: hasEvents && !hasLength,
    hasEvents,
    contentType,
    endsByClosing: !hasLength && !hasChunks && status !== 204 && status !== 304,
    isReadable: !isEncoded && (isEvents || isLines || isJson),
    mayEndWithError: !isEncoded && (isEvents || isLines),
    wantsStop,
  };
}

function addFacts(headers: string[], facts: HeadFacts): void {
  headers.push(
    "X-Dctl-Request-Id",
    facts.requestId,
    "X-Dctl-Replica",
    facts.replica,
    "X-Dctl-Revision",
    facts.revision,
    "X-Dctl-Queue-Ms",
    String(Math.round(facts.queueMs)),
    "X-Dctl-Cold-Start",
    facts.isColdStart ? "1" : "0",
    "Server-Timing",
    `queue;dur=${facts.queueMs.toFixed(1)}, replica;dur=${facts.replicaMs.toFixed(1)}`,
  );
}

export function textOf(part: Buffer | string | undefined): string {
  if (part === undefined) return "";
  return typeof part === "string" ? part : part.toString("latin1");
}
