// Early streams: a response that starts before the sleeping app has a replica, and reports any failure.
import { parseJson } from "../../base/json.ts";
import type { AdmittedRequest } from "./admitted-request.ts";
import type { Refusal } from "./refusals.ts";
import type { ReadReplyHead } from "./reply-head.ts";

/** Maximum bytes read from a replica's error. */
const maxErrorBytes = 64 * 1024;
const longestMessage = 2000;

/** Comment sent while a replica starts; repeated at this interval if the app sets none. */
export const startingComment = ": starting\n\n";
export const startingCommentMs = 5000;

/** Returns true if the request's head allows an early stream. */
export function mayStreamEarly({ traffic, request, head, path }: AdmittedRequest): boolean {
  if (traffic.routed.earlyStream !== true || request.method !== "POST") return false;
  const { "content-type": type = "", "content-encoding": encoding, origin } = request.headers;
  // Only the app knows if pages of that origin may read its reply.
  if (origin !== undefined) return false;
  // Ollama's paths stream lines of JSON instead of events.
  if (path.rest.startsWith("/api/")) return false;
  return head.coldStart !== "fail" && encoding === undefined && jsonType.test(type);
}

const jsonType = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

/**
 * Returns true if the body is a JSON object with `"stream": true`. Scans instead of parsing, since
 * eight megabytes of hostile JSON would block all requests for half a second. Invalid JSON that is
 * not truncated may pass; the app rejects it.
 */
export function asksForStream(body: Buffer): boolean {
  if (!body.includes('"stream"')) return false;
  let depth = 0;
  let isFound = false;
  for (let index = 0; index < body.length; index += 1) {
    const byte = body[index];
    if (byte === quote) {
      const end = endOfString(body, index);
      if (depth === 1 && isStreamTrue(body, index, end)) isFound = true;
      index = end;
    } else if (byte === openingBrace || byte === openingBracket) {
      depth += 1;
    } else if (byte === closingBrace || byte === closingBracket) {
      depth -= 1;
    }
  }
  return isFound && depth === 0;
}

const quote = 0x22;
const backslash = 0x5c;
const openingBracket = 0x5b;
const closingBracket = 0x5d;
const openingBrace = 0x7b;
const closingBrace = 0x7d;
/** Length of `"stream"` with its quotes, and of the text checked after it. */
const nameBytes = 8;
const valueBytes = 64;

/** @param begin index of the opening quote. @returns index of the closing quote */
function endOfString(body: Buffer, begin: number): number {
  let index = begin + 1;
  while (index < body.length && body[index] !== quote) index += body[index] === backslash ? 2 : 1;
  return index;
}

function isStreamTrue(body: Buffer, begin: number, end: number): boolean {
  if (end - begin + 1 !== nameBytes) return false;
  const text = body.toString("latin1", begin, end + 1 + valueBytes);
  return /^"stream"\s*:\s*true\s*[,}]/.test(text);
}

/** Name, value, name, value. */
export function earlyHeaders(requestId: string): string[] {
  return [
    ...["Content-Type", "text/event-stream", "Cache-Control", "no-cache"],
    // Without it nginx buffers the comments.
    ...["X-Accel-Buffering", "no"],
    ...["X-Dctl-Request-Id", requestId, "X-Dctl-Cold-Start", "1"],
  ];
}

/** Collects a replica's reply that cannot follow a 200 head, to report it as an error event. */
export class LateError {
  readonly #status: number;
  readonly #contentType: string;
  readonly #pieces: Buffer[] = [];
  #bytes = 0;

  constructor({ status, contentType }: ReadReplyHead) {
    this.#status = status;
    this.#contentType = contentType;
  }

  /** True when the rest of the body is not needed. */
  get isComplete(): boolean {
    return this.#status < 400 || this.#bytes > maxErrorBytes;
  }

  push(piece: Buffer): void {
    this.#bytes += piece.length;
    this.#pieces.push(piece);
  }

  refusal(): Refusal {
    const status = this.#status;
    if (status < 400) {
      const type = this.#contentType === "" ? "no content type" : this.#contentType;
      const detail = `The app's replica answered with ${status} and ${type}, and not with a stream of events.`;
      return { type: "runner_not_streaming", detail };
    }
    const message = messageOf(Buffer.concat(this.#pieces).toString("utf8"), this.#contentType);
    const more = message === undefined ? "." : `: ${message.slice(0, longestMessage)}`;
    return {
      type: "runner_error",
      detail: `The app's replica answered with ${status}${more}`,
      status,
    };
  }
}

/** Error message in the formats of OpenAI, FastAPI and Ollama, or plain text. */
function messageOf(text: string, contentType: string): string | undefined {
  if (/^text\/plain\b/i.test(contentType)) return text.trim() || undefined;
  if (!jsonType.test(contentType)) return undefined;
  const value = parseJson(text);
  const error = fieldOf(value, "error");
  const found = [
    fieldOf(error, "message"),
    error,
    fieldOf(value, "message"),
    fieldOf(value, "detail"),
  ];
  return found.find((one): one is string => typeof one === "string" && one !== "");
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
