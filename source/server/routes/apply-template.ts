// POST /api/apply-template and /apply-template: the prompt of a conversation as the model gets it.
import type { FastifyReply } from "fastify";
import type { CanonicalRequest } from "../../engine/request.ts";
import type { ResolvedModel } from "../../store/model-catalog.ts";
import type { Routes, ServerDependencies } from "../dependencies.ts";
import { invalidField } from "../errors.ts";
import { clientSignal, findModel, requestCanceled, runRequest } from "../run-request.ts";
import { readChat } from "./native/chat.ts";
import { ChatBody } from "./native/schema.ts";
import { ChatCompletionBody } from "./openai/schema.ts";
import { toCanonical } from "./openai/to-canonical.ts";

/** The conversation is written as for `/api/chat`; as for chat completions below `/`, as in llama-server. */
export const applyTemplateRoutes: Routes = async (app, { dependencies }) => {
  app.post<{ Body: ChatBody }>(
    "/api/apply-template",
    { schema: { body: ChatBody } },
    async (request, reply) => {
      const { canonical, model } = await readChat(dependencies, request, reply);
      return await rendered(dependencies, reply, canonical, model);
    },
  );
  app.post<{ Body: ChatCompletionBody }>(
    "/apply-template",
    { schema: { body: ChatCompletionBody } },
    async (request, reply) => {
      const { body } = request;
      const { model, rules } = await findModel(dependencies, reply, { model: body.model });
      return await rendered(dependencies, reply, toCanonical(body, model, rules), model);
    },
  );
};

/** @throws ProductError of the prompt or the engine, `SERVER_FIELD_INVALID` without a conversation */
async function rendered(
  dependencies: ServerDependencies,
  reply: FastifyReply,
  canonical: CanonicalRequest,
  model: ResolvedModel,
): Promise<Record<string, unknown>> {
  if (canonical.input.kind !== "chat") {
    throw invalidField("messages", "[] is too short - 'messages': at least one is needed.");
  }
  const signal = clientSignal(reply);
  const request = { ...canonical, renderOnly: true };
  for await (const event of runRequest(dependencies, reply, request, model, signal)) {
    if (event.type !== "rendered") continue;
    const { prompt, tokens, images, truncated } = event;
    return { model: canonical.model, prompt, tokens, images, ...(truncated && { truncated }) };
  }
  throw requestCanceled();
}
