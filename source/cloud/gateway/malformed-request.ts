// Responses to requests that Node cannot parse, written to the bare socket.
import type { Duplex } from "node:stream";
import { codingRefusedCode, codingUnknown, endConnection } from "../../base/http-connection.ts";
import { systemCode } from "../../base/write-refusal.ts";
import { drawRequestId } from "./exchange-record.ts";
import {
  type ErrorType,
  type Refusal,
  refusalBody,
  refusalHeaders,
  refusalStatuses,
} from "./refusals.ts";

const reasons: Partial<Record<ErrorType, string>> = {
  bad_request: "Bad Request",
  headers_too_large: "Request Header Fields Too Large",
  request_stalled: "Request Timeout",
};

export interface MalformedOptions {
  /** Header limit, for the message. */
  headerBytes: number;
  /** True if a response is being sent on the same connection, so that nothing may be inserted. */
  isReplying: boolean;
}

export function answerMalformed(
  error: Error,
  socket: Duplex,
  { headerBytes, isReplying }: MalformedOptions,
): void {
  const code = systemCode(error) ?? "";
  // Anything else is a broken connection or a failed TLS handshake.
  const isHttp = code.startsWith("HPE_") || namedCodes.has(code);
  if (!isHttp || !socket.writable) {
    socket.destroy();
    return;
  }
  if (isReplying) {
    endConnection(socket, ""); // after the pending response
    return;
  }
  const refusal = refusalOf(code, headerBytes);
  const requestId = drawRequestId();
  const body = refusalBody(refusal, requestId);
  const headers = refusalHeaders(refusal, requestId, Buffer.byteLength(body));
  const lines = [`HTTP/1.1 ${refusalStatuses[refusal.type]} ${reasons[refusal.type] ?? ""}`];
  for (let index = 0; index < headers.length; index += 2) {
    lines.push(`${headers[index]}: ${headers[index + 1]}`);
  }
  endConnection(socket, `${lines.join("\r\n")}\r\nConnection: close\r\n\r\n${body}`);
}

const namedCodes: ReadonlySet<string> = new Set([
  "ERR_HTTP_REQUEST_TIMEOUT",
  "ERR_SSL_HTTP_REQUEST",
]);

function refusalOf(code: string, headerBytes: number): Refusal {
  if (code === "HPE_HEADER_OVERFLOW") {
    const detail = `The headers are larger than the limit of ${headerBytes / 1024} KiB.`;
    return { type: "headers_too_large", detail };
  }
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    const detail = "The request's headers took too long to arrive.";
    return { type: "request_stalled", detail };
  }
  if (code === codingRefusedCode) return { type: "bad_request", detail: codingUnknown };
  if (code === "ERR_SSL_HTTP_REQUEST") {
    const detail = "This address accepts only HTTPS. Use https://.";
    return { type: "bad_request", detail };
  }
  return { type: "bad_request", detail: "The request is not valid HTTP." };
}
