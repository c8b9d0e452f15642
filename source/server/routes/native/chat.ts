// POST /api/chat
import type { FastifyInstance } from "fastify";
import { plainChat, plainRequest, type RequestInput } from "../../../engine/request.ts";
import type { ChatImage } from "../../../prompt/chat-message.ts";
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
    const { body } = request;
    const stream = body.stream !== false;
    const settings = readAnswerSettings(body);
    const messages = body.messages ?? [];
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
    if (unloads) {
      return await unloadReply(dependencies, reply, model, name, toFields({ text: "" }));
    }
    const canonical = plainRequest({
      model: name,
      isFileAllowed,
      ...settings,
      input: inputOf(body, images),
      parameters: parseOptions(body.options, warningsOf(dependencies, reply)),
      format: parseFormat(body.format),
    });
    return await answerNatively(dependencies, reply, { canonical, model, stream, toFields });
  });
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
