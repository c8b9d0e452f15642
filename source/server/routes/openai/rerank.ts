// POST /v1/rerank, in the shape of Jina and Cohere: orders documents by their relevance for a query.
import type { FastifyInstance } from "fastify";
import { type Static, Type } from "typebox";
import type { ServerDependencies } from "../../dependencies.ts";
import { invalidField } from "../../errors.ts";
import { parseKeepAlive, parseOptions } from "../../options.ts";
import { clientSignal, findModel } from "../../run-request.ts";

/** As in Cohere's API; each is computed on its own. */
const maxDocuments = 1000;

const Document = Type.Union([Type.String(), Type.Object({ text: Type.String() })]);

export const RerankBody = Type.Object({
  model: Type.String(),
  query: Type.String(),
  documents: Type.Array(Document),
  /** Only the most relevant ones; more than there are means all. */
  top_n: Type.Optional(Type.Union([Type.Integer({ minimum: 1 }), Type.Null()])),
  return_documents: Type.Optional(Type.Boolean()),
  // Extensions: as for embeddings.
  truncate: Type.Optional(Type.Boolean()),
  keep_alive: Type.Optional(Type.Union([Type.String(), Type.Number()])),
  options: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});
export type RerankBody = Static<typeof RerankBody>;

export function registerRerank(app: FastifyInstance, dependencies: ServerDependencies): void {
  const { scheduler, requestLog } = dependencies;
  app.post<{ Body: RerankBody }>(
    "/rerank",
    { schema: { body: RerankBody } },
    async (request, reply) => {
      const { body, record } = request;
      const { query, top_n, return_documents } = body;
      const documents = textsOf(body.documents);
      const { model, rules } = await findModel(dependencies, reply, { model: body.model });
      const ranking = {
        model: body.model,
        query,
        documents,
        truncate: body.truncate === true,
        parameters: parseOptions(body.options, rules.warn),
        keepAliveMs: parseKeepAlive(body.keep_alive),
        onWarning: rules.warn,
      };
      const { scores, tokenCounts, loadMs } = await scheduler.rank(
        ranking,
        model,
        clientSignal(reply),
      );
      const tokens = tokenCounts.reduce((sum, count) => sum + count, 0);
      if (record !== undefined) requestLog.update(record, { promptTokens: tokens, loadMs });
      const results = scores
        .map((score, index) => ({
          index,
          relevance_score: score,
          ...(return_documents === true && { document: { text: documents[index] ?? "" } }),
        }))
        .toSorted((a, b) => b.relevance_score - a.relevance_score);
      return {
        object: "list",
        model: body.model,
        results: results.slice(0, top_n ?? undefined),
        usage: { prompt_tokens: tokens, total_tokens: tokens },
      };
    },
  );
}

function textsOf(documents: RerankBody["documents"]): string[] {
  if (documents.length >= 1 && documents.length <= maxDocuments) {
    return documents.map((document) => (typeof document === "string" ? document : document.text));
  }
  throw invalidField(
    "documents",
    `'documents' has ${documents.length} texts, but must have from 1 to ${maxDocuments}.`,
  );
}
