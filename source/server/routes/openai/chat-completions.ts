// POST /v1/chat/completions
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { fileAccess } from "../../access.ts";
import type { ServerDependencies } from "../../dependencies.ts";
import { clientSignal } from "../../run-request.ts";
import { announceTruncation } from "../truncation-header.ts";
import { ChatChoice } from "./chat-choice.ts";
import { ChatDeltas } from "./chat-deltas.ts";
import { EventStream } from "./event-stream.ts";
import { ReplyHead } from "./reply-head.ts";
import { type ChoiceEvent, repeatWithSeeds, runChoices } from "./run-choices.ts";
import { ChatCompletionBody } from "./schema.ts";
import { toCanonical } from "./to-canonical.ts";
import { usageOf } from "./usage.ts";

export function registerChatCompletions(
  app: FastifyInstance,
  dependencies: ServerDependencies,
): void {
  app.post<{ Body: ChatCompletionBody }>(
    "/v1/chat/completions",
    { schema: { body: ChatCompletionBody } },
    async (request, reply) => {
      const { body } = request;
      const { requestLog, scheduler, log, stablePrompts } = dependencies;
      if (request.record !== undefined) {
        const stream = body.stream === true;
        requestLog.update(request.record, { model: body.model, stream });
      }
      const isFileAllowed = fileAccess(request, dependencies);
      const model = await scheduler.resolve({ model: body.model, isFileAllowed });
      const canonical = toCanonical(body, model, { isFileAllowed, log, stablePrompts });
      const choices = repeatWithSeeds(canonical, body.n ?? 1, model);
      const signal = clientSignal(reply);
      const events = announced(runChoices(dependencies, request, choices, model, signal), reply);
      return body.stream === true
        ? await streamChat(new EventStream(request, reply, signal), events, request, reply)
        : await sendWholeChat(events, request, reply);
    },
  );
}

/** Passes the events on; announces a truncated conversation before the reply begins. */
async function* announced(
  events: AsyncIterable<ChoiceEvent>,
  reply: FastifyReply,
): AsyncGenerator<ChoiceEvent> {
  for await (const item of events) {
    if (item.event.type === "truncated") announceTruncation(reply, item.event);
    yield item;
  }
}

type ChatRequest = FastifyRequest<{ Body: ChatCompletionBody }>;

async function sendWholeChat(
  events: AsyncIterable<ChoiceEvent>,
  { body }: ChatRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const head = new ReplyHead("chatcmpl", body.model);
  const wantsLogprobs = body.logprobs === true;
  const choices = Array.from(
    { length: body.n ?? 1 },
    (_, index) => new ChatChoice(index, wantsLogprobs),
  );
  for await (const { choice, event } of events) choices[choice]?.take(event);
  const truncated = choices.find((choice) => choice.truncated !== undefined)?.truncated;
  return await reply.send({
    ...head.fields("chat.completion"),
    choices: choices.map((choice) => choice.toJson()),
    usage: usageOf(
      choices.map(({ meter }) => meter),
      choices.length,
    ),
    // Ours: parts dropped from the conversation.
    ...(truncated !== undefined && { truncated }),
  });
}

async function streamChat(
  stream: EventStream,
  events: AsyncIterable<ChoiceEvent>,
  { body }: ChatRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const head = new ReplyHead("chatcmpl", body.model).fields("chat.completion.chunk");
  const choices = Array.from({ length: body.n ?? 1 }, (_, index) => new ChatDeltas(index));
  try {
    for await (const { choice, event } of events) {
      for (const chunk of choices[choice]?.take(event) ?? []) {
        await stream.send({ ...head, ...chunk });
      }
    }
    if (body.stream_options?.include_usage === true) {
      const meters = choices.map(({ meter }) => meter);
      await stream.send({ ...head, choices: [], usage: usageOf(meters, choices.length) });
    }
    await stream.done();
  } catch (error) {
    await stream.fail(error);
  }
  return reply;
}
