// Answers a native request from the events of its work.
import type { FastifyReply, FastifyRequest } from "fastify";
import type { CanonicalEvent, CanonicalRequest } from "../../../engine/request.ts";
import type { ResolvedModel } from "../../../store/model-catalog.ts";
import type { ServerDependencies } from "../../dependencies.ts";
import { clientSignal, requestCanceled, runRequest } from "../../run-request.ts";
import { announceTruncation } from "../truncation-header.ts";
import { NativeReply, type ReplyShape } from "./native-reply.ts";
import { renderedFields } from "./records.ts";
import { ToolCallReader } from "./tool-calls.ts";

export interface NativeAnswer extends Pick<ReplyShape, "stream" | "toFields"> {
  canonical: CanonicalRequest;
  model: ResolvedModel;
}

type LastEvent = Extract<CanonicalEvent, { type: "done" | "rendered" }>;

/** @throws ProductError before the reply has begun */
export async function answerNatively(
  dependencies: ServerDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  { canonical, model, stream, toFields }: NativeAnswer,
): Promise<FastifyReply> {
  const signal = clientSignal(reply);
  const { model: name, topLogprobs = 0, reportProgress } = canonical;
  const shape = { model: name, stream, toFields, topLogprobs, reportProgress };
  const answer = new NativeReply(request, reply, shape, signal);
  const calls = new ToolCallReader();
  let loadMs = 0;
  let last: LastEvent | undefined;
  try {
    for await (const event of runRequest(dependencies, request, canonical, model, signal)) {
      switch (event.type) {
        case "loaded":
          loadMs = event.loadMs;
          break;
        case "truncated":
          announceTruncation(reply, event);
          break;
        case "text":
          await answer.add({ text: event.text }, event.logprobs);
          break;
        case "thinking":
          await answer.add({ text: "", thinking: event.text }, event.logprobs);
          break;
        case "tool-call":
          calls.begin(event);
          break;
        case "tool-call-end":
          await answer.add({ text: "", toolCalls: [calls.end(event)] });
          break;
        case "done":
        case "rendered":
          last = event;
          break;
        default:
          await answer.reportProgress(event);
      }
    }
    if (last?.type === "done") return await answer.end(last, loadMs);
    if (last?.type === "rendered") return await answer.endAlone(renderedFields(last));
    if (signal.aborted) throw requestCanceled();
    return await answer.endAlone({ done: true, done_reason: "load" });
  } catch (error) {
    return await answer.fail(error);
  }
}
