// POST /api/generate
import type { FastifyInstance } from "fastify";
import { ProductError } from "../../../base/product-error.ts";
import { plainChat, plainRequest, type RequestInput } from "../../../engine/request.ts";
import type { ChatMessage } from "../../../prompt/chat-message.ts";
import { storeErrors } from "../../../store/errors.ts";
import { fileAccess } from "../../access.ts";
import type { ServerDependencies } from "../../dependencies.ts";
import { invalidField, unsupportedField } from "../../errors.ts";
import { parseKeepAlive, parseOptions } from "../../options.ts";
import { answerNatively } from "./answer.ts";
import { GenerateBody } from "./schema.ts";
import { topLogprobsOf } from "./top-logprobs.ts";
import { unloadReply } from "./unload.ts";
import { refuseImages, refuseUnsupported } from "./unsupported.ts";

export function registerGenerate(app: FastifyInstance, dependencies: ServerDependencies): void {
  app.post<{ Body: GenerateBody }>(
    "/api/generate",
    { schema: { body: GenerateBody } },
    async (request, reply) => {
      const { body } = request;
      const topLogprobs = topLogprobsOf(body);
      const name = body.model ?? "";
      if (request.record !== undefined) {
        dependencies.requestLog.update(request.record, {
          model: name,
          stream: body.stream !== false,
        });
      }
      if (name === "") {
        throw new ProductError(storeErrors.modelNotFound, {
          message: "model '' not found",
          hint: "Name a model.",
          param: "model",
        });
      }
      const access = { model: name, isFileAllowed: fileAccess(request, dependencies) };
      const model = await dependencies.scheduler.resolve(access);
      const keepAliveMs = parseKeepAlive(body.keep_alive);
      const prompt = body.prompt ?? "";
      if (prompt === "" && keepAliveMs === 0) {
        return await unloadReply(dependencies, reply, model, name, { response: "" });
      }
      refuseConflicts(body);
      refuseUnsupported(body);
      const canonical = plainRequest({
        ...access,
        input: inputOf(body, prompt),
        parameters: parseOptions(body.options, dependencies.log),
        topLogprobs,
        reportProgress: body.progress === true,
        keepAliveMs,
      });
      if (prompt !== "") refuseImages(body.images, name);
      return await answerNatively(dependencies, request, reply, {
        canonical,
        model,
        name,
        stream: body.stream !== false,
        content: (text) => ({ response: text }),
      });
    },
  );
}

function refuseConflicts(body: GenerateBody): void {
  const isSet = (value: unknown) => value !== undefined && value !== "";
  if (body.raw && (isSet(body.template) || isSet(body.system) || (body.context?.length ?? 0) > 0)) {
    throw invalidField("raw", "raw mode does not support template, system, or context");
  }
  if (isSet(body.suffix)) throw unsupportedField("suffix", "text is not filled in before a suffix");
  if (isSet(body.template)) throw unsupportedField("template", "the model's own template is used");
  if ((body.context?.length ?? 0) > 0) {
    throw unsupportedField("context", "send the conversation to /api/chat instead");
  }
}

function inputOf(body: GenerateBody, prompt: string): RequestInput {
  if (prompt === "") return { kind: "load" };
  if (body.raw) return { kind: "raw", text: prompt };
  const messages: ChatMessage[] = [{ role: "user", content: prompt }];
  if (body.system) messages.unshift({ role: "system", content: body.system });
  return plainChat(messages);
}
