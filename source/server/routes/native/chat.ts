// POST /api/chat
import type { FastifyInstance } from "fastify";
import { plainChat, plainRequest } from "../../../engine/request.ts";
import type { ChatMessage } from "../../../prompt/chat-message.ts";
import { fileAccess } from "../../access.ts";
import type { ServerDependencies } from "../../dependencies.ts";
import { invalidField, unsupportedField, unsupportedTools } from "../../errors.ts";
import { parseKeepAlive, parseOptions } from "../../options.ts";
import { parseRole } from "../message-role.ts";
import { answerNatively } from "./answer.ts";
import { ChatBody } from "./schema.ts";
import { topLogprobsOf } from "./top-logprobs.ts";
import { unloadReply } from "./unload.ts";
import { refuseImages, refuseUnsupported } from "./unsupported.ts";

export function registerChat(app: FastifyInstance, dependencies: ServerDependencies): void {
  app.post<{ Body: ChatBody }>(
    "/api/chat",
    { schema: { body: ChatBody } },
    async (request, reply) => {
      const { body } = request;
      const topLogprobs = topLogprobsOf(body);
      const name = body.model ?? "";
      const stream = body.stream !== false;
      if (request.record !== undefined) {
        dependencies.requestLog.update(request.record, { model: name, stream });
      }
      if (name === "") throw invalidField("model", "model is required");
      const access = { model: name, isFileAllowed: fileAccess(request, dependencies) };
      const model = await dependencies.scheduler.resolve(access);
      const keepAliveMs = parseKeepAlive(body.keep_alive);
      const messages = body.messages ?? [];
      const content = (text: string) => ({ message: { role: "assistant", content: text } });
      if (messages.length === 0 && keepAliveMs === 0) {
        return await unloadReply(dependencies, reply, model, name, content(""));
      }
      refuseUnsupported(body);
      if ((body.tools?.length ?? 0) > 0) {
        throw unsupportedTools(name);
      }
      const canonical = plainRequest({
        ...access,
        input:
          messages.length === 0
            ? { kind: "load" }
            : plainChat(messages.map((m) => toMessage(m, name))),
        parameters: parseOptions(body.options, dependencies.log),
        topLogprobs,
        reportProgress: body.progress === true,
        keepAliveMs,
      });
      return await answerNatively(dependencies, request, reply, {
        canonical,
        model,
        name,
        stream,
        content,
      });
    },
  );
}

function toMessage(message: NonNullable<ChatBody["messages"]>[number], model: string): ChatMessage {
  refuseImages(message.images, model);
  if (message.tool_calls !== undefined && message.tool_calls !== null) {
    throw unsupportedField("messages.tool_calls", "tool calls are not part of a conversation here");
  }
  return {
    role: parseRole(message.role),
    content: message.content ?? "",
    ...(message.tool_name && { toolName: message.tool_name }),
    ...(message.tool_call_id && { toolCallId: message.tool_call_id }),
  };
}
