// Choices as server-sent events: chunks, an error when a status is no longer possible, [DONE].
import type { FastifyReply } from "fastify";
import type { CanonicalEvent } from "../../../engine/request.ts";
import { errorBody, recordFailure } from "../../plugins/error-replies.ts";
import { StreamWriter } from "../../stream-writer.ts";
import type { RunChoices } from "./run-choices.ts";

interface ChunkStream {
  /** Fields of every chunk. */
  head: object;
  /** Returns the other fields of the chunks for an event. */
  chunksOf: (event: CanonicalEvent, choice: number) => readonly object[];
  /** Called after the last event; undefined if the client wants no usage. */
  usage: (() => object) | undefined;
  /** See `StreamWriter.breakSilence`. */
  silenceMs?: number;
}

/**
 * @param signal aborted when the client leaves
 * @throws errors of the run while nothing was sent, so that they can have a status
 */
export async function streamChoices(
  reply: FastifyReply,
  signal: AbortSignal,
  run: RunChoices,
  { head, chunksOf, usage, silenceMs }: ChunkStream,
): Promise<FastifyReply> {
  const { request } = reply;
  const writer = new StreamWriter(reply, "text/event-stream; charset=utf-8", signal);
  writer.breakSilence(silenceMs);
  const send = (data: object) => writer.write(`data: ${JSON.stringify(data)}\n\n`);
  try {
    await run(async (event, choice) => {
      for (const chunk of chunksOf(event, choice)) await send({ ...head, ...chunk });
    });
    if (usage !== undefined) await send({ ...head, choices: [], usage: usage() });
    await writer.write("data: [DONE]\n\n");
  } catch (error) {
    if (!writer.isOpen) throw error;
    await send(errorBody(request.url, recordFailure(request, error)));
  }
  writer.end();
  return reply;
}
