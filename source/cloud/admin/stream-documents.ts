// Streamed response with one JSON document per line, at the reader's pace.
import { once } from "node:events";
import type { FastifyReply } from "fastify";
import { describeError } from "../../base/product-error.ts";

/** Time without progress after which a reader counts as gone, even if its connection is open. */
const stallMs = 30_000;

function connectionSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  // TCP keep-alive detects a machine that vanished without closing the connection.
  raw.socket?.setKeepAlive(true, 10_000);
  if (raw.destroyed) gone.abort();
  raw.once("close", () => gone.abort());
  return gone.signal;
}

/**
 * Throws errors before the first document; later ones end the response early and are logged.
 *
 * @param open gets a signal that aborts when the reader disconnects or has received everything
 */
export async function streamDocuments<T>(
  reply: FastifyReply,
  log: (text: string) => void,
  open: (signal: AbortSignal) => AsyncIterable<T> | Iterable<T> | Promise<AsyncIterable<T>>,
): Promise<FastifyReply> {
  const { raw } = reply;
  const signal = connectionSignal(reply);
  const documents = await open(signal);
  reply.hijack();
  raw.writeHead(200, { "content-type": "application/x-ndjson", "cache-control": "no-store" });
  raw.flushHeaders();
  try {
    for await (const document of documents) {
      if (signal.aborted) break;
      if (!raw.write(`${JSON.stringify(document)}\n`)) await drained(reply, signal);
    }
    raw.end();
  } catch (error) {
    if (!signal.aborted) log(`streamed response of the admin API failed: ${describeError(error)}`);
    raw.destroy();
  }
  return reply;
}

async function drained({ raw }: FastifyReply, signal: AbortSignal): Promise<void> {
  await once(raw, "drain", { signal: AbortSignal.any([signal, AbortSignal.timeout(stallMs)]) });
}
