// Replies to long requests: a record per line while they run, or the last one alone.
import type { FastifyReply } from "fastify";
import type { ProgressRecord } from "../../../store/library/layer-maker.ts";
import { recordFailure } from "../../plugins/error-replies.ts";
import { clientSignal, requestCanceled } from "../../run-request.ts";
import { StreamWriter } from "../../stream-writer.ts";

interface ProgressWork {
  onProgress: (record: ProgressRecord) => void;
  /** A record in the stream, else an entry in `warnings`. */
  onWarning: (sentence: string) => void;
  /** Aborted when the client leaves. */
  signal: AbortSignal;
}

interface ProgressOptions {
  stream: boolean;
  /** Records before those of the work; without a stream, in `warnings` of the reply. */
  warnings?: readonly string[];
  /**
   * Holds back the first record until the second, so that a failure between them has its own
   * status.
   */
  holdsFirst: boolean;
}

/** @throws errors of the work before any record has been sent */
export async function replyWithProgress(
  reply: FastifyReply,
  { stream, warnings: known = [], holdsFirst }: ProgressOptions,
  run: (work: ProgressWork) => Promise<void>,
): Promise<FastifyReply> {
  const signal = clientSignal(reply);
  const writer = new StreamWriter(reply, "application/x-ndjson", signal);
  const warnings = [...known];
  const held: ProgressRecord[] = warnings.map((status) => ({ status }));
  let isHolding = holdsFirst;
  let last: ProgressRecord = { status: "success" };
  let written: Promise<void> = Promise.resolve();
  const write = (record: unknown) => {
    written = written.then(() => writer.write(`${JSON.stringify(record)}\n`));
    written.catch(() => {}); // awaited after the work, which may take long
  };
  const onProgress = (record: ProgressRecord) => {
    last = record;
    if (!stream) return;
    held.push(record);
    if (isHolding && held.length <= known.length + 1) return;
    isHolding = false;
    for (const waiting of held.splice(0)) write(waiting);
  };
  const onWarning = (status: string) => {
    if (stream) onProgress({ status });
    else warnings.push(status);
  };
  try {
    await run({ onProgress, onWarning, signal });
  } catch (cause) {
    const error = signal.aborted ? requestCanceled() : cause;
    await written;
    if (!writer.isOpen) throw error;
    const { code, sentence } = recordFailure(reply.request, error);
    write({ error: sentence, code });
    await written;
    writer.end();
    return reply;
  }
  if (!stream) return await reply.send({ ...last, ...(warnings.length > 0 && { warnings }) });
  for (const waiting of held.splice(0)) write(waiting);
  await written;
  writer.end();
  return reply;
}
