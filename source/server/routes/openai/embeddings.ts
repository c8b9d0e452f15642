// POST /v1/embeddings
import type { FastifyInstance } from "fastify";
import { type Static, Type } from "typebox";
import { quoteShort } from "../../../base/display-text.ts";
import type { EmbeddingText } from "../../../engine/generation.ts";
import type { ServerDependencies } from "../../dependencies.ts";
import { invalidField } from "../../errors.ts";
import { parseKeepAlive, parseOptions } from "../../options.ts";
import { findModel } from "../../run-request.ts";
import { withoutEffect } from "../../unknown-fields.ts";
import { embedTexts, unitVector } from "../native/embed.ts";
import { isTokenList, readTokens } from "./common-fields.ts";

export const EmbeddingBody = Type.Object({
  model: Type.String(),
  input: Type.Optional(Type.Union([Type.String(), Type.Array(Type.Unknown())])),
  dimensions: Type.Optional(Type.Integer({ minimum: 1 })),
  encoding_format: Type.Optional(Type.String()),
  // Extensions: as on the native API.
  truncate: Type.Optional(Type.Boolean()),
  keep_alive: Type.Optional(Type.Union([Type.String(), Type.Number()])),
  options: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  ...withoutEffect("user"),
});
export type EmbeddingBody = Static<typeof EmbeddingBody>;

export function registerEmbeddings(app: FastifyInstance, dependencies: ServerDependencies): void {
  app.post<{ Body: EmbeddingBody }>(
    "/embeddings",
    { schema: { body: EmbeddingBody } },
    async (request, reply) => {
      const { body } = request;
      const { model, rules } = await findModel(dependencies, reply, { model: body.model });
      const encode = encoderOf(body.encoding_format ?? "float");
      const embedding = {
        texts: textsOf(body.input, model.facts.vocabularySize),
        truncate: body.truncate === true,
        parameters: parseOptions(body.options, rules.warn),
        keepAliveMs: parseKeepAlive(body.keep_alive),
      };
      const { vectors, tokens } = await embedTexts(dependencies, reply, embedding, model);
      const size = vectors[0]?.length ?? 0;
      if (body.dimensions !== undefined && body.dimensions > size) {
        throw invalidField(
          "dimensions",
          `'dimensions' is ${body.dimensions}, but the vectors of ${body.model} have ${size}.`,
        );
      }
      return {
        object: "list",
        data: vectors.map((vector, index) => ({
          object: "embedding",
          embedding: encode(unitVector(vector, body.dimensions)),
          index,
        })),
        model: body.model,
        usage: { prompt_tokens: tokens, total_tokens: tokens },
      };
    },
  );
}

function textsOf(input: EmbeddingBody["input"], vocabularySize: number): EmbeddingText[] {
  // As in Ollama: an empty text has a vector, an empty list has none.
  if (input === undefined || (Array.isArray(input) && input.length === 0)) {
    throw invalidField("input", "invalid input: 'input' must be a text or a list of texts.");
  }
  if (typeof input === "string") return [input];
  if (isTokenList(input)) return [readTokens(input, "input", vocabularySize)];
  return input.map((text, index) => {
    const param = `input.${index}`;
    if (typeof text === "string") return text;
    if (isTokenList(text)) return readTokens(text, param, vocabularySize);
    throw invalidField(param, `invalid input: '${param}' must be a text or a list of tokens.`);
  });
}

function encoderOf(format: string): (vector: number[]) => number[] | string {
  if (format === "float") return (vector) => vector;
  if (format === "base64") return toBase64;
  throw invalidField(
    "encoding_format",
    `'encoding_format' is ${quoteShort(format)}, but must be float or base64.`,
  );
}

/** Encodes 32-bit floats, little-endian on every machine. */
function toBase64(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4);
  return bytes.toString("base64");
}
