// POST /api/chat
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import {
  type CanonicalRequest,
  plainChat,
  plainRequest,
  type RequestInput,
} from "../../../engine/request.ts";
import type { ChatImage } from "../../../prompt/chat-message.ts";
import type { ResolvedModel } from "../../../store/model-catalog.ts";
import type { ServerDependencies } from "../../dependencies.ts";
import { parseOptions } from "../../options.ts";
import { warningsOf } from "../../warnings.ts";
import { readImages } from "../image-field.ts";
import { type AnswerPiece, answerNatively } from "./answer.ts";
import { parseFormat, readAnswerSettings } from "./answer-settings.ts";
import { toPromptMessage, toToolDefinition } from "./messages.ts";
import { findNamedModel, unloadReply } from "./named-model.ts";
import { ChatBody } from "./schema.ts";

export function registerChat(app: FastifyInstance, dependencies: ServerDependencies): void {
  app.post<{ Body: ChatBody }>("/chat", { schema: { body: ChatBody } }, async (request, reply) => {
    const { messages = [], stream = true } = request.body;
    const { canonical, model } = await readChat(dependencies, request, reply);
    if (messages.length === 0 && canonical.keepAliveMs === 0) {
      return await unloadReply(dependencies, reply, model, canonical.model, toFields({ text: "" }));
    }
    return await answerNatively(dependencies, reply, { canonical, model, stream, toFields });
  });
}

/**
 * Reads a request for an answer, and finds its model.
 *
 * @throws ProductError of the store, `SERVER_FIELD_INVALID`
 */
export async function readChat(
  dependencies: ServerDependencies,
  request: FastifyRequest<{ Body: ChatBody }>,
  reply: FastifyReply,
): Promise<{ canonical: CanonicalRequest; model: ResolvedModel }> {
  const { body } = request;
  const { messages = [], stream = true } = body;
  const settings = readAnswerSettings(body);
  const images = messages.map((message, index) =>
    readImages(message.images, `messages.${index}.images`),
  );
  const unloads = messages.length === 0 && settings.keepAliveMs === 0;
  const { name, model, isFileAllowed } = await findNamedModel(
    dependencies,
    request,
    { ...body, stream, unloads },
    { absent: "required" },
  );
  const canonical = plainRequest({
    model: name,
    isFileAllowed,
    ...settings,
    input: inputOf(body, images),
    parameters: parseOptions(body.options, warningsOf(dependencies, reply)),
    format: parseFormat(body.format),
  });
  return { canonical, model };
}

function toFields({ text, thinking, toolCalls }: AnswerPiece): Record<string, unknown> {
  return {
    message: {
      role: "assistant",
      content: text,
      ...(thinking && { thinking }),
      ...(toolCalls && { tool_calls: toolCalls }),
    },
  };
}

function inputOf(
  { messages = [], tools = [] }: ChatBody,
  images: readonly ChatImage[][],
): RequestInput {
  if (messages.length === 0) return { kind: "load" };
  return plainChat(
    messages.map((message, index) => toPromptMessage(message, images[index], `messages.${index}`)),
    { tools: tools.map(toToolDefinition) },
  );
}
