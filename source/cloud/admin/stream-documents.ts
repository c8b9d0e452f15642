// Answers with one JSON document on each line, no faster than they are read.
import { once } from "node:events";
import type { FastifyReply } from "fastify";
import { describeError } from "../../base/product-error.ts";

/** A reader that takes nothing for so long is gone, whatever its connection says. */
const stallMs = 30_000;

/** Aborts when the reader leaves, or has everything. */
export function connectionSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  // A machine that vanished says nothing: the system asks whether it is there.
  raw.socket?.setKeepAlive(true, 10_000);
  if (raw.destroyed) gone.abort();
  raw.once("close", () => gone.abort());
  return gone.signal;
}

/** Errors before the first document are thrown; later ones cut the answer short and are logged. */
export async function streamDocuments(
  reply: FastifyReply,
  documents: AsyncIterable<unknown>,
  { signal, log }: { signal: AbortSignal; log: (text: string) => void },
): Promise<FastifyReply> {
  const { raw } = reply;
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
    if (!signal.aborted) log(`a stream of the admin API broke: ${describeError(error)}`);
    raw.destroy();
  }
  return reply;
}

async function drained({ raw }: FastifyReply, signal: AbortSignal): Promise<void> {
  await once(raw, "drain", { signal: AbortSignal.any([signal, AbortSignal.timeout(stallMs)]) });
}
