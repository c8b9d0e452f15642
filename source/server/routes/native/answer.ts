// Answers a native request: one record a line while streaming, one record otherwise.
import type { FastifyReply, FastifyRequest } from "fastify";
import { ProductError } from "../../../base/product-error.ts";
import { engineErrors } from "../../../engine/errors.ts";
import type { TokenLogprob } from "../../../engine/generation.ts";
import type { CanonicalRequest } from "../../../engine/request.ts";
import type { ResolvedModel } from "../../../store/model-catalog.ts";
import type { ServerDependencies } from "../../dependencies.ts";
import { toProductError } from "../../plugins/error-replies.ts";
import { clientSignal, runRequest } from "../../run-request.ts";
import { StreamWriter } from "../../stream-writer.ts";
import { createdAt, finalFields, logprobFields, progressFields } from "./records.ts";

export interface NativeAnswer {
  canonical: CanonicalRequest;
  model: ResolvedModel;
  /** As the client named it. */
  name: string;
  stream: boolean;
  /** Puts a piece of text where the route's records carry it. */
  content: (text: string) => Record<string, unknown>;
}

export async function answerNatively(
  dependencies: ServerDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: NativeAnswer,
): Promise<FastifyReply> {
  const { canonical, name, content } = answer;
  const started = performance.now();
  const signal = clientSignal(reply);
  const writer = new StreamWriter(reply, "application/x-ndjson", signal);
  const top = canonical.topLogprobs ?? 0;
  const head = () => ({ model: name, created_at: createdAt() });
  const write = (fields: Record<string, unknown>) =>
    writer.write(`${JSON.stringify({ ...head(), ...fields })}\n`);
  let text = "";
  const logprobs: TokenLogprob[] = [];
  let loadMs = 0;
  let final: Record<string, unknown> | undefined;
  try {
    const events = runRequest(dependencies, request, canonical, answer.model, signal);
    for await (const event of events) {
      if (event.type === "loaded") {
        loadMs = event.loadMs;
      } else if (event.type === "text") {
        if (answer.stream) {
          const fields = logprobFields(event.logprobs, top);
          await write({ ...content(event.text), ...fields, done: false });
        } else {
          text += event.text;
          logprobs.push(...(event.logprobs ?? []));
        }
      } else if (event.type === "done") {
        final = finalFields(event, loadMs, performance.now() - started);
      } else if (answer.stream && canonical.reportProgress) {
        const progress = progressFields(event);
        if (progress !== undefined) await write({ ...content(""), ...progress, done: false });
      }
    }
    if (signal.aborted) throw clientLeft();
    if (final === undefined && writer.isOpen) {
      await write({ ...content(""), done: true, done_reason: "load" });
      writer.end();
      return reply;
    }
    if (final === undefined) {
      return await reply.send({ ...head(), ...content(""), done: true, done_reason: "load" });
    }
    if (answer.stream) {
      await write({ ...content(""), ...final });
      writer.end();
      return reply;
    }
    return await reply.send({
      ...head(),
      ...content(text),
      ...logprobFields(logprobs, top),
      ...final,
    });
  } catch (error) {
    if (!writer.isOpen) throw error;
    // Too late for a status: one more line says what happened, and no final record follows.
    const known = toProductError(error);
    request.failure = { code: known.code, message: known.sentence };
    await writer.write(`${JSON.stringify({ error: known.sentence, code: known.code })}\n`);
    writer.end();
    return reply;
  }
}

function clientLeft(): ProductError {
  return new ProductError(engineErrors.cancelled, { message: "request canceled" });
}
