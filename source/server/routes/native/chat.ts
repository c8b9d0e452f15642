// POST /api/chat
import type { FastifyInstance } from "fastify";
import { plainChat, plainRequest, type RequestInput } from "../../../engine/request.ts";
import type { ServerDependencies } from "../../dependencies.ts";
import { parseOptions } from "../../options.ts";
import { answerNatively } from "./answer.ts";
import { parseFormat, readAnswerSettings } from "./answer-settings.ts";
import { checkImages, refuseImages } from "./images.ts";
import { toPromptMessage, toToolDefinition } from "./messages.ts";
import { findModel } from "./named-model.ts";
import type { AnswerPiece } from "./native-reply.ts";
import { ChatBody } from "./schema.ts";
import { unloadReply } from "./unload.ts";

export function registerChat(app: FastifyInstance, dependencies: ServerDependencies): void {
  app.post<{ Body: ChatBody }>(
    "/api/chat",
    { schema: { body: ChatBody } },
    async (request, reply) => {
      const { body } = request;
      const stream = body.stream !== false;
      const settings = readAnswerSettings(body);
      const messages = body.messages ?? [];
      for (const [index, { images }] of messages.entries()) {
        checkImages(images, `messages.${index}.images`);
      }
      const { name, model, isFileAllowed } = await findModel(
        dependencies,
        request,
        { ...body, stream },
        { absent: "required" },
      );
      if (messages.length === 0 && settings.keepAliveMs === 0) {
        return await unloadReply(dependencies, reply, model, name, toFields({ text: "" }));
      }
      for (const { images } of messages) refuseImages(images, name);
      const canonical = plainRequest({
        model: name,
        isFileAllowed,
        ...settings,
        input: inputOf(body),
        parameters: parseOptions(body.options, dependencies.log),
        format: parseFormat(body.format),
      });
      return await answerNatively(dependencies, request, reply, {
        canonical,
        model,
        stream,
        toFields,
      });
    },
  );
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

function inputOf({ messages = [], tools = [] }: ChatBody): RequestInput {
  if (messages.length === 0) return { kind: "load" };
  return plainChat(messages.map(toPromptMessage), { tools: tools.map(toToolDefinition) });
}
