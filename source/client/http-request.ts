// HTTP requests of the client. Unlike fetch, they may wait more than five minutes for a byte, as loading
// a large model may take longer.
import type { IncomingMessage } from "node:http";
import type { ConnectionOptions } from "node:tls";
import { createParser } from "eventsource-parser";
import { linesOf } from "../base/lines.ts";
import { http, loadHttps } from "../base/node-http.ts";
import { ProductError } from "../base/product-error.ts";
import { systemCode } from "../base/write-refusal.ts";
import { clientErrors } from "./errors.ts";

export interface HttpRequest {
  method: "GET" | "POST" | "DELETE";
  url: string;
  headers: Record<string, string>;
  body?: unknown;
  signal?: AbortSignal | undefined;
  /** Limit on silence. Defaults to none. */
  timeoutMs?: number;
  /** Trusted besides the system's, as PEM. */
  certificateAuthority?: string | undefined;
  /** The server's own certificate, as PEM, which may be for another name. */
  pinnedCertificate?: string | undefined;
}

/**
 * Resolves with the reply once its head has arrived.
 *
 * @throws ProductError `CLIENT_SERVER_UNREACHABLE`
 */
export async function sendRequest(request: HttpRequest): Promise<IncomingMessage> {
  const { method, url, signal, timeoutMs } = request;
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
      signal,
      ...trustOf(request),
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

function trustOf({ certificateAuthority, pinnedCertificate }: HttpRequest): ConnectionOptions {
  if (pinnedCertificate === undefined) return { ca: certificateAuthority };
  return {
    ca: pinnedCertificate,
    allowPartialTrustChain: true,
    checkServerIdentity: () => undefined,
  };
}

/**
 * Yields the lines of a streamed reply.
 *
 * @throws ProductError `CLIENT_SERVER_VANISHED` when the connection breaks
 */
export function readLines(
  reply: IncomingMessage,
  url: string,
  signal?: AbortSignal,
): AsyncGenerator<string> {
  return untilVanished(linesOf(reply), url, signal);
}

/**
 * Yields the data of the server-sent events of a reply.
 *
 * @throws ProductError `CLIENT_SERVER_VANISHED` when the connection breaks
 */
export async function* readEvents(
  reply: IncomingMessage,
  url: string,
  signal?: AbortSignal,
): AsyncGenerator<string> {
  const received: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => received.push(data) });
  for await (const piece of untilVanished(reply.setEncoding("utf8"), url, signal)) {
    parser.feed(piece);
    yield* received.splice(0);
  }
  // Some servers leave out the blank line that ends the last event.
  parser.feed("\n\n");
  yield* received;
}

async function* untilVanished(
  pieces: AsyncIterable<string>,
  url: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<string> {
  try {
    yield* pieces;
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ProductError(clientErrors.vanished, {
      message: `The server at ${url} closed the connection during an answer.`,
      hint: "Try again; the server's log may say why.",
      cause: error,
    });
  }
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
