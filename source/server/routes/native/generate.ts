// POST /api/generate
import type { FastifyInstance } from "fastify";
import { ProductError } from "../../../base/product-error.ts";
import { engineErrors } from "../../../engine/errors.ts";
import { plainChat, plainRequest, type RequestInput } from "../../../engine/request.ts";
import type { ChatImage } from "../../../prompt/chat-message.ts";
import type { PromptMessage } from "../../../prompt/prompt-template.ts";
import type { ServerDependencies } from "../../dependencies.ts";
import { invalidField, unsupportedField } from "../../errors.ts";
import { parseOptions } from "../../options.ts";
import { warningsOf } from "../../warnings.ts";
import { readImages } from "../image-field.ts";
import { type AnswerPiece, answerNatively } from "./answer.ts";
import { parseFormat, readAnswerSettings } from "./answer-settings.ts";
import { findNamedModel, type NamedModel, unloadReply } from "./named-model.ts";
import { GenerateBody } from "./schema.ts";

export function registerGenerate(app: FastifyInstance, dependencies: ServerDependencies): void {
  app.post<{ Body: GenerateBody }>(
    "/generate",
    { schema: { body: GenerateBody } },
    async (request, reply) => {
      const { body } = request;
      const stream = body.stream !== false;
      const settings = readAnswerSettings(body);
      const images = readImages(body.images, "images");
      const isLoad = (body.prompt ?? "") === "";
      const unloads = isLoad && settings.keepAliveMs === 0;
      const named = await findNamedModel(
        dependencies,
        request,
        { ...body, stream, unloads },
        { absent: "not found" },
      );
      const { name, model, isFileAllowed } = named;
      if (unloads) {
        return await unloadReply(dependencies, reply, model, name, toFields({ text: "" }));
      }
      refuseRawConflicts(body);
      if (!isLoad) refuseEmbeddingModel(named);
      const canonical = plainRequest({
        model: name,
        isFileAllowed,
        ...settings,
        input: inputOf(body, images),
        parameters: parseOptions(body.options, warningsOf(dependencies, reply)),
        format: parseFormat(body.format),
        wantsContext: body.raw !== true,
      });
      return await answerNatively(dependencies, reply, { canonical, model, stream, toFields });
    },
  );
}

function toFields({ text, thinking, toolCalls }: AnswerPiece): Record<string, unknown> {
  return {
    response: text,
    ...(thinking && { thinking }),
    ...(toolCalls && { tool_calls: toolCalls }),
  };
}

function refuseRawConflicts(body: GenerateBody): void {
  if (body.raw !== true) return;
  if (body.template || body.system || (body.context?.length ?? 0) > 0) {
    throw invalidField("raw", "raw mode does not support template, system, or context");
  }
  // These need a template or its markers; ignoring them silently would mislead.
  const { suffix, think } = body;
  for (const [field, value] of Object.entries({ suffix, think })) {
    if (value) throw unsupportedField(field, "a raw prompt and its answer stay as they are");
  }
}

function refuseEmbeddingModel({ name, model }: NamedModel): void {
  if (!model.facts.isEmbeddingOnly) return;
  throw new ProductError(engineErrors.capabilityMissing, {
    message: `"${name}" does not support generate`,
    hint: "It is made for embeddings: use /api/embed.",
    param: "model",
  });
}

function inputOf(
  { prompt = "", raw, system, ...body }: GenerateBody,
  images: readonly ChatImage[],
): RequestInput {
  if (prompt === "") return { kind: "load" };
  if (raw === true) return { kind: "raw", text: prompt, images };
  const messages: PromptMessage[] = [{ role: "user", content: prompt, images }];
  if (system) messages.unshift({ role: "system", content: system });
  return plainChat(messages, {
    template: body.template || undefined,
    suffix: body.suffix || undefined,
    context: body.context,
    continuesText: true,
  });
}
