// POST /api/tokenize and /api/detokenize: text to tokens and back.
import type { FastifyInstance } from "fastify";
import { type Static, Type } from "typebox";
import type { ServerDependencies } from "../../dependencies.ts";
import { invalidField } from "../../errors.ts";
import { parseKeepAlive } from "../../options.ts";
import { clientSignal } from "../../run-request.ts";
import { warningsOf } from "../../warnings.ts";
import { findNamedModel } from "./named-model.ts";
import { modelFields } from "./schema.ts";

const { model, keep_alive } = modelFields;

export const TokenizeBody = Type.Object({
  model,
  keep_alive,
  content: Type.Optional(Type.String()),
  /** Alias, as in generate. */
  prompt: Type.Optional(Type.String()),
  /** Adds the beginning-of-text token, if the model uses one. */
  add_special: Type.Optional(Type.Boolean()),
});
export type TokenizeBody = Static<typeof TokenizeBody>;

export const DetokenizeBody = Type.Object({
  model,
  keep_alive,
  tokens: Type.Array(Type.Integer()),
});
export type DetokenizeBody = Static<typeof DetokenizeBody>;

const wordings = { absent: "required" } as const;

export function registerTokens(app: FastifyInstance, dependencies: ServerDependencies): void {
  const { scheduler } = dependencies;
  app.post<{ Body: TokenizeBody }>(
    "/tokenize",
    { schema: { body: TokenizeBody } },
    async (request, reply) => {
      const { body } = request;
      const text = body.content ?? body.prompt;
      if (text === undefined) throw invalidField("content", "content is required");
      const keepAliveMs = parseKeepAlive(body.keep_alive);
      const use = { parameters: {}, keepAliveMs, onWarning: warningsOf(dependencies, reply) };
      const found = await findNamedModel(
        dependencies,
        request,
        { ...body, stream: false },
        wordings,
      );
      const signal = clientSignal(reply);
      const tokensOf = async (segments: Array<{ text: string; special: boolean }>) =>
        (await scheduler.call("tokenize", { segments }, use, found.model, signal)).tokens;
      // Control tokens in the text are read as text, as in a conversation.
      const tokens = await tokensOf([{ text, special: false }]);
      const special = body.add_special === true ? 0 : (await tokensOf([])).length;
      return { tokens: tokens.slice(special), model: body.model };
    },
  );
  app.post<{ Body: DetokenizeBody }>(
    "/detokenize",
    { schema: { body: DetokenizeBody } },
    async (request, reply) => {
      const { body } = request;
      const { tokens } = body;
      const keepAliveMs = parseKeepAlive(body.keep_alive);
      const use = { parameters: {}, keepAliveMs, onWarning: warningsOf(dependencies, reply) };
      const found = await findNamedModel(
        dependencies,
        request,
        { ...body, stream: false },
        wordings,
      );
      refuseUnknown(tokens, found.model.facts.vocabularySize);
      const signal = clientSignal(reply);
      const output = await scheduler.call("detokenize", { tokens }, use, found.model, signal);
      return { content: output.text };
    },
  );
}

function refuseUnknown(tokens: readonly number[], vocabularySize: number): void {
  const unknown = tokens.find((token) => token < 0 || token >= vocabularySize);
  if (unknown === undefined) return;
  throw invalidField(
    "tokens",
    `Token ${unknown} does not exist: the model's vocabulary has ${vocabularySize} tokens, from 0.`,
  );
}
