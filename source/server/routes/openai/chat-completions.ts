// POST /v1/chat/completions
import type { FastifyInstance, FastifyReply } from "fastify";
import type { ServerDependencies } from "../../dependencies.ts";
import { clientSignal, findModel } from "../../run-request.ts";
import { ChatChoice, ChatDeltas } from "./chat-choice.ts";
import { EventStream } from "./event-stream.ts";
import { replyHead, usageOf } from "./reply-fields.ts";
import { repeatWithSeeds, runChoices, type TakeEvent } from "./run-choices.ts";
import { ChatCompletionBody } from "./schema.ts";
import { toCanonical } from "./to-canonical.ts";

export function registerChatCompletions(
  app: FastifyInstance,
  dependencies: ServerDependencies,
): void {
  app.post<{ Body: ChatCompletionBody }>(
    "/chat/completions",
    { schema: { body: ChatCompletionBody } },
    async (request, reply) => {
      const { body } = request;
      const { model, rules } = await findModel(dependencies, request, body);
      const choices = repeatWithSeeds(toCanonical(body, model, rules), body.n ?? 1, model);
      const signal = clientSignal(reply);
      const run: Run = (take) => runChoices(dependencies, reply, choices, { model, signal }, take);
      return body.stream === true
        ? await streamChat(body, new EventStream(reply, signal), reply, run)
        : await sendWholeChat(body, reply, run);
    },
  );
}

type Run = (take: TakeEvent) => Promise<void>;

async function sendWholeChat(
  { model, n = 1, logprobs }: ChatCompletionBody,
  reply: FastifyReply,
  run: Run,
): Promise<FastifyReply> {
  const choices = Array.from({ length: n }, (_, index) => new ChatChoice(index, logprobs === true));
  await run((event, choice) => choices[choice]?.take(event));
  const truncated = choices.find((choice) => choice.truncated !== undefined)?.truncated;
  return await reply.send({
    ...replyHead("chatcmpl", "chat.completion", model),
    choices: choices.map((choice) => choice.toJson()),
    usage: usageOf(choices, n),
    // Ours: parts dropped from the conversation.
    ...(truncated !== undefined && { truncated }),
  });
}

async function streamChat(
  { model, n = 1, stream_options: options }: ChatCompletionBody,
  stream: EventStream,
  reply: FastifyReply,
  run: Run,
): Promise<FastifyReply> {
  const head = replyHead("chatcmpl", "chat.completion.chunk", model);
  const choices = Array.from({ length: n }, (_, index) => new ChatDeltas(index));
  try {
    await run(async (event, choice) => {
      for (const chunk of choices[choice]?.take(event) ?? []) {
        await stream.send({ ...head, ...chunk });
      }
    });
    if (options?.include_usage === true) {
      await stream.send({ ...head, choices: [], usage: usageOf(choices, n) });
    }
    await stream.done();
  } catch (error) {
    await stream.fail(error);
  }
  return reply;
}
