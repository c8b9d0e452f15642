// HTTP requests of the client. Unlike fetch, they may wait more than five minutes for a byte, as loading
// a large model may take longer.
import type { IncomingMessage } from "node:http";
import { http, loadHttps } from "../base/node-http.ts";
import { ProductError } from "../base/product-error.ts";
import { systemCode } from "../base/write-refusal.ts";
import { clientErrors } from "./errors.ts";

export interface HttpRequest {
  method: "GET" | "HEAD" | "POST" | "DELETE";
  url: string;
  headers: Record<string, string>;
  body?: unknown;
  signal?: AbortSignal;
  /** Limit on silence. Defaults to none. */
  timeoutMs?: number;
  /** Trusted besides the system's, as PEM. */
  certificateAuthority?: string;
}

/**
 * Resolves with the reply once its head has arrived.
 *
 * @throws ProductError `CLIENT_SERVER_UNREACHABLE`
 */
export async function sendRequest(request: HttpRequest): Promise<IncomingMessage> {
  const { method, url, signal, timeoutMs, certificateAuthority: ca } = request;
  const body = request.body === undefined ? undefined : JSON.stringify(request.body);
  const send = url.startsWith("https:") ? loadHttps().request : http.request;
  return await new Promise((resolve, reject) => {
    const outgoing = send(url, {
      method,
      headers: {
        ...request.headers,
        ...(body !== undefined && {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
        }),
      },
      ...(signal !== undefined && { signal }),
      ...(ca !== undefined && { ca }),
      // Pooled connections may have been closed by the server.
      agent: false,
    });
    if (timeoutMs !== undefined) {
      outgoing.setTimeout(timeoutMs, () => {
        outgoing.destroy(new Error(`no answer within ${timeoutMs} ms`));
      });
    }
    outgoing.once("response", resolve);
    outgoing.once("error", (error) => {
      reject(signal?.aborted ? error : unreachable(url, error));
    });
    outgoing.end(body);
  });
}

export async function readText(reply: IncomingMessage): Promise<string> {
  reply.setEncoding("utf8");
  let text = "";
  for await (const piece of reply) text += piece;
  return text;
}

/**
 * Yields the lines of a streamed reply.
 *
 * @throws ProductError `CLIENT_SERVER_VANISHED` when the connection breaks
 */
export async function* readLines(
  reply: IncomingMessage,
  url: string,
  signal?: AbortSignal,
): AsyncGenerator<string> {
  reply.setEncoding("utf8");
  let rest = "";
  try {
    for await (const piece of reply) {
      const lines = (rest + piece).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line !== "") yield line;
    }
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ProductError(clientErrors.vanished, {
      message: `The server at ${url} closed the connection during an answer.`,
      hint: "Try again; the server's log may say why.",
      cause: error,
    });
  }
  if (rest !== "") yield rest;
}

function unreachable(url: string, cause: Error): ProductError {
  const { origin } = new URL(url);
  const code = systemCode(cause) ?? cause.message;
  return new ProductError(clientErrors.unreachable, {
    message: `No server answers at ${origin} (${code}).`,
    hint: "Start one with: modelctl serve. Or check the address.",
    cause,
  });
}
