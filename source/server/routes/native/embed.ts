// POST /api/embed and the older POST /api/embeddings: vectors of texts.
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Static, Type } from "typebox";
import type { EmbeddingOutput } from "../../../engine/generation.ts";
import type { EmbeddingRequest } from "../../../engine/request.ts";
import type { ResolvedModel } from "../../../store/model-catalog.ts";
import type { ServerDependencies } from "../../dependencies.ts";
import { invalidField } from "../../errors.ts";
import { parseKeepAlive, parseOptions } from "../../options.ts";
import { clientSignal } from "../../run-request.ts";
import { warningsOf } from "../../warnings.ts";
import { findNamedModel, type ModelWordings } from "./named-model.ts";
import { nanoseconds, withoutZeros } from "./records.ts";
import { modelFields } from "./schema.ts";

export const EmbedBody = Type.Object({
  ...modelFields,
  /** Text or texts, see `parseInput`. */
  input: Type.Optional(Type.Unknown()),
  /** Truncates texts longer than the model's context instead of refusing them. */
  truncate: Type.Optional(Type.Boolean()),
  /** 0 keeps all. */
  dimensions: Type.Optional(Type.Integer({ minimum: 0 })),
});
export type EmbedBody = Static<typeof EmbedBody>;

export const EmbeddingsBody = Type.Object({
  ...modelFields,
  prompt: Type.Optional(Type.String()),
  truncate: Type.Optional(Type.Boolean()),
});
export type EmbeddingsBody = Static<typeof EmbeddingsBody>;

const notFound = (name: string) => `model ${JSON.stringify(name)} not found, try pulling it first`;

export function registerEmbed(app: FastifyInstance, dependencies: ServerDependencies): void {
  app.post<{ Body: EmbedBody }>(
    "/embed",
    { schema: { body: EmbedBody } },
    async (request, reply) => {
      const { body } = request;
      const texts = parseInput(body.input);
      const wordings = { absent: "not found", notFound } as const;
      const output = await vectorsOf(dependencies, request, reply, texts, wordings);
      const dimensions = body.dimensions || undefined;
      return {
        model: body.model,
        embeddings: output.vectors.map((vector) => unitVector(vector, dimensions)),
        ...withoutZeros({
          total_duration: nanoseconds(reply.elapsedTime),
          load_duration: nanoseconds(output.loadMs),
          prompt_eval_count: output.tokens,
        }),
      };
    },
  );
  app.post<{ Body: EmbeddingsBody }>(
    "/embeddings",
    { schema: { body: EmbeddingsBody } },
    async (request, reply) => {
      const { prompt = "" } = request.body;
      const texts = prompt === "" ? [] : [prompt];
      const wordings = { absent: "required", notFound } as const;
      const { vectors } = await vectorsOf(dependencies, request, reply, texts, wordings);
      // Not normalised: this older route never was.
      return { embedding: vectors[0] ?? [] };
    },
  );
}

/** @throws ProductError of the store or the engine, `SERVER_FIELD_INVALID` */
async function vectorsOf(
  dependencies: ServerDependencies,
  { body }: FastifyRequest<{ Body: EmbedBody | EmbeddingsBody }>,
  reply: FastifyReply,
  texts: string[],
  wordings: ModelWordings,
): Promise<Embeddings> {
  const keepAliveMs = parseKeepAlive(body.keep_alive);
  const named = { ...body, stream: false };
  const { model } = await findNamedModel(dependencies, reply.request, named, wordings);
  const parameters = parseOptions(body.options, warningsOf(dependencies, reply));
  const embedding = { texts, truncate: body.truncate === true, parameters, keepAliveMs };
  return await embedTexts(dependencies, reply, embedding, model);
}

/**
 * A single empty text only loads the model.
 *
 * @throws ProductError `SERVER_FIELD_INVALID`
 */
function parseInput(input: unknown): string[] {
  if (input === undefined || input === "") return [];
  if (typeof input === "string") return [input];
  if (Array.isArray(input) && input.every((text) => typeof text === "string")) return input;
  throw invalidField("input", "invalid input type: 'input' must be a text or a list of texts");
}

interface Embeddings extends EmbeddingOutput {
  loadMs: number;
  /** Tokens of all texts. */
  tokens: number;
}

/**
 * Embeds texts, and notes their tokens in the request log.
 *
 * @throws ProductError of the store or the engine
 */
export async function embedTexts(
  dependencies: ServerDependencies,
  reply: FastifyReply,
  embedding: EmbeddingRequest,
  model: ResolvedModel,
): Promise<Embeddings> {
  const { scheduler, requestLog } = dependencies;
  const { record } = reply.request;
  const request = { ...embedding, onWarning: warningsOf(dependencies, reply) };
  const output = await scheduler.embed(request, model, clientSignal(reply));
  const tokens = output.tokenCounts.reduce((sum, count) => sum + count, 0);
  const { loadMs } = output;
  if (record !== undefined) requestLog.update(record, { promptTokens: tokens, loadMs });
  return { ...output, tokens };
}

/**
 * Scales a vector to length 1; a zero vector stays as it is.
 *
 * @param dimensions number of its first values to keep; undefined keeps all
 */
export function unitVector(vector: readonly number[], dimensions?: number): number[] {
  const kept = vector.slice(0, dimensions);
  const length = Math.sqrt(kept.reduce((sum, number) => sum + number * number, 0));
  return length === 0 ? kept : kept.map((number) => number / length);
}
