// POST /v1/embeddings

import type { FastifyInstance } from "fastify";
import { quoteShort } from "../../../base/display-text.ts";
import type { EmbeddingText } from "../../../engine/generation.ts";
import { fileAccess } from "../../access.ts";
import type { ServerDependencies } from "../../dependencies.ts";
import { invalidField } from "../../errors.ts";
import { parseKeepAlive, parseOptions } from "../../options.ts";
import { clientSignal } from "../../run-request.ts";
import { unitVector } from "../unit-vector.ts";
import { EmbeddingBody } from "./embedding-schema.ts";
import { isTokenList, readTokens } from "./token-ids.ts";

export function registerEmbeddings(app: FastifyInstance, dependencies: ServerDependencies): void {
  app.post<{ Body: EmbeddingBody }>(
    "/v1/embeddings",
    { schema: { body: EmbeddingBody } },
    async (request, reply) => {
      const { body, record } = request;
      const { requestLog, scheduler, log } = dependencies;
      if (record !== undefined) requestLog.update(record, { model: body.model });
      const isFileAllowed = fileAccess(request, dependencies);
      const model = await scheduler.resolve({ model: body.model, isFileAllowed });
      const encode = encoderOf(body.encoding_format ?? "float");
      const { vectors, tokenCounts, loadMs } = await scheduler.embed(
        {
          texts: textsOf(body.input, model.facts.vocabularySize),
          truncate: body.truncate === true,
          parameters: parseOptions(body.options, log),
          keepAliveMs: parseKeepAlive(body.keep_alive),
        },
        model,
        clientSignal(reply),
      );
      const size = vectors[0]?.length ?? 0;
      if (body.dimensions !== undefined && body.dimensions > size) {
        throw invalidField(
          "dimensions",
          `'dimensions' is ${body.dimensions}, but the vectors of ${body.model} have ${size}.`,
        );
      }
      const promptTokens = tokenCounts.reduce((total, count) => total + count, 0);
      if (record !== undefined) requestLog.update(record, { loadMs, promptTokens });
      return {
        object: "list",
        data: vectors.map((vector, index) => ({
          object: "embedding",
          embedding: encode(unitVector(vector, body.dimensions)),
          index,
        })),
        model: body.model,
        usage: { prompt_tokens: promptTokens, total_tokens: promptTokens },
      };
    },
  );
}

function textsOf(input: EmbeddingBody["input"], vocabularySize: number): EmbeddingText[] {
  // As in Ollama: an empty text has a vector too, an empty list has none.
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

/** 32-bit floats, the low byte first whatever the machine. */
function toBase64(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4);
  return bytes.toString("base64");
}
