// HEAD and POST /api/blobs/{digest}: files uploaded before a model is created from them.
import { Readable } from "node:stream";
import type { FastifyInstance } from "fastify";
import { parseDigest } from "../../../store/library/digest.ts";
import type { ServerDependencies } from "../../dependencies.ts";
import { clientSignal, requestCanceled } from "../../run-request.ts";

interface BlobParams {
  digest: string;
}

export function registerBlobs(app: FastifyInstance, { library }: ServerDependencies): void {
  const { store } = library;
  // A separate scope: these bodies are bytes of any length that must not be collected or parsed.
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
    scope.head<{ Params: BlobParams }>("/blobs/:digest", async ({ params }, reply) => {
      const digest = parseDigest(params.digest);
      return await reply.code((await store.hasBlob(digest)) ? 200 : 404).send();
    });
    scope.post<{ Params: BlobParams }>("/blobs/:digest", async (request, reply) => {
      const digest = parseDigest(request.params.digest);
      const { body, headers } = request;
      // Unknown for an empty or encoded body.
      const isPlain = headers["content-encoding"] === undefined;
      const sizeBytes = (isPlain && Number(headers["content-length"])) || undefined;
      if (await store.hasBlob(digest, sizeBytes)) return await reply.code(200).send();
      const content = body instanceof Readable ? body : Readable.from([]);
      const signal = clientSignal(reply);
      const { isNew } = await store
        .writeBlobFrom(content, { digest, sizeBytes, signal })
        .catch((error: unknown) => {
          throw signal.aborted ? requestCanceled() : error;
        });
      return await reply.code(isNew ? 201 : 200).send();
    });
  });
}
