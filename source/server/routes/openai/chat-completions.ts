// POST /v1/chat/completions
import type { FastifyInstance, FastifyReply } from "fastify";
import type { ServerDependencies } from "../../dependencies.ts";
import { clientSignal, findModel } from "../../run-request.ts";
import { ChatChoice, ChatDeltas } from "./chat-choice.ts";
import { replyHead, usageOf } from "./reply-fields.ts";
import { type RunChoices, repeatWithSeeds, runChoices } from "./run-choices.ts";
import { ChatCompletionBody } from "./schema.ts";
import { streamChoices } from "./stream-choices.ts";
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
      const { n = 1, stream_options: options } = body;
      const { model, rules } = await findModel(dependencies, reply, body);
      const requests = repeatWithSeeds(toCanonical(body, model, rules), n, model);
      const signal = clientSignal(reply);
      const run: RunChoices = (take) =>
        runChoices(dependencies, reply, requests, { model, signal }, take);
      if (body.stream !== true) return await sendWholeChat(body, reply, run);
      const choices = requests.map((_, index) => new ChatDeltas(index));
      return await streamChoices(reply, signal, run, {
        head: replyHead("chatcmpl", "chat.completion.chunk", body.model),
        chunksOf: (event, choice) => choices[choice]?.take(event) ?? [],
        usage: options?.include_usage === true ? () => usageOf(choices, n) : undefined,
      });
    },
  );
}

async function sendWholeChat(
  { model, n = 1, logprobs }: ChatCompletionBody,
  reply: FastifyReply,
  run: RunChoices,
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
