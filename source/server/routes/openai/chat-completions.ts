// POST /v1/chat/completions
import { randomUUID } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ProductError } from "../../../base/product-error.ts";
import { engineErrors } from "../../../engine/errors.ts";
import type { GenerationStatistics, TokenLogprob } from "../../../engine/generation.ts";
import type { CanonicalRequest } from "../../../engine/request.ts";
import type { ResolvedModel } from "../../../store/model-catalog.ts";
import { fileAccess } from "../../access.ts";
import type { ServerDependencies } from "../../dependencies.ts";
import { errorBody, toProductError } from "../../plugins/error-replies.ts";
import { clientSignal, runRequest } from "../../run-request.ts";
import { StreamWriter } from "../../stream-writer.ts";
import { ChatCompletionBody } from "./schema.ts";
import { toCanonical } from "./to-canonical.ts";

export function registerChatCompletions(
  app: FastifyInstance,
  dependencies: ServerDependencies,
): void {
  app.post<{ Body: ChatCompletionBody }>(
    "/v1/chat/completions",
    { schema: { body: ChatCompletionBody } },
    async (request, reply) => {
      const { body } = request;
      const stream = body.stream === true;
      if (request.record !== undefined) {
        dependencies.requestLog.update(request.record, { model: body.model, stream });
      }
      const isFileAllowed = fileAccess(request, dependencies);
      const model = await dependencies.scheduler.resolve({ model: body.model, isFileAllowed });
      const canonical = toCanonical(body, isFileAllowed, dependencies.log);
      const completion = new Completion(body);
      const answer = stream ? streamCompletion : wholeCompletion;
      return await answer(dependencies, request, reply, canonical, model, completion);
    },
  );
}

/** The parts of the reply that do not depend on whether it is streamed. */
class Completion {
  readonly id = `chatcmpl-${randomUUID()}`;
  readonly created = Math.floor(Date.now() / 1000);
  readonly model: string;
  readonly includesUsage: boolean;

  constructor(body: ChatCompletionBody) {
    this.model = body.model;
    this.includesUsage = body.stream_options?.include_usage === true;
  }

  head(object: string): Record<string, unknown> {
    const { id, created, model } = this;
    return { id, object, created, model, system_fingerprint: "fp_modelctl" };
  }

  chunk(delta: Record<string, unknown>, finishReason: string | null, logprobs?: TokenLogprob[]) {
    return {
      ...this.head("chat.completion.chunk"),
      choices: [
        { index: 0, delta, logprobs: logprobFields(logprobs), finish_reason: finishReason },
      ],
    };
  }
}

type Answer = (
  dependencies: ServerDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  canonical: CanonicalRequest,
  model: ResolvedModel,
  completion: Completion,
) => Promise<FastifyReply>;

const wholeCompletion: Answer = async (
  dependencies,
  request,
  reply,
  canonical,
  model,
  completion,
) => {
  const signal = clientSignal(reply);
  let text = "";
  let finishReason = "stop";
  let usage: Record<string, unknown> | undefined;
  const logprobs: TokenLogprob[] = [];
  for await (const event of runRequest(dependencies, request, canonical, model, signal)) {
    if (event.type === "text") {
      text += event.text;
      logprobs.push(...(event.logprobs ?? []));
    } else if (event.type === "done") {
      finishReason = event.reason;
      usage = usageOf(event.statistics);
    }
  }
  if (signal.aborted) throw clientLeft();
  const wanted = canonical.topLogprobs === undefined ? undefined : logprobs;
  return await reply.send({
    ...completion.head("chat.completion"),
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: text },
        logprobs: logprobFields(wanted),
        finish_reason: finishReason,
      },
    ],
    usage,
  });
};

const streamCompletion: Answer = async (
  dependencies,
  request,
  reply,
  canonical,
  model,
  completion,
) => {
  const signal = clientSignal(reply);
  const writer = new StreamWriter(reply, "text/event-stream; charset=utf-8", signal);
  const write = (data: unknown) => writer.write(`data: ${JSON.stringify(data)}\n\n`);
  try {
    for await (const event of runRequest(dependencies, request, canonical, model, signal)) {
      if (event.type === "text") {
        const role = writer.isOpen ? {} : { role: "assistant" };
        const delta = { ...role, content: event.text };
        await write(completion.chunk(delta, null, event.logprobs));
      } else if (event.type === "done") {
        if (signal.aborted) throw clientLeft();
        // An answer without any text still begins with its role.
        if (!writer.isOpen) await write(completion.chunk({ role: "assistant", content: "" }, null));
        await write(completion.chunk({}, event.reason));
        if (completion.includesUsage) {
          const head = completion.head("chat.completion.chunk");
          await write({ ...head, choices: [], usage: usageOf(event.statistics) });
        }
      }
    }
    await writer.write("data: [DONE]\n\n");
    writer.end();
  } catch (error) {
    if (!writer.isOpen) throw error;
    // Too late for a status: the error is the last event, and no [DONE] follows.
    const known = toProductError(error);
    request.failure = { code: known.code, message: known.sentence };
    await write(errorBody(request.url, known));
    writer.end();
  }
  return reply;
};

function usageOf(statistics: GenerationStatistics): Record<string, unknown> {
  const { promptTokens, completionTokens, cachedTokens } = statistics;
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens },
  };
}

function logprobFields(logprobs: TokenLogprob[] | undefined) {
  if (logprobs === undefined) return null;
  return {
    content: logprobs.map(({ token, logprob, bytes, top }) => ({
      token,
      logprob,
      bytes,
      top_logprobs: top,
    })),
    refusal: null,
  };
}

function clientLeft(): ProductError {
  return new ProductError(engineErrors.cancelled, { message: "request canceled" });
}
