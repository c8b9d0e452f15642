// HEAD and POST /api/blobs/{digest}: files that a model is to be made of, sent in advance.
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
  // A scope of its own: these bodies are bytes of any length, which nothing may collect or parse.
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
    scope.head<{ Params: BlobParams }>("/api/blobs/:digest", async ({ params }, reply) => {
      const digest = parseDigest(params.digest);
      return await reply.code((await store.hasBlob(digest)) ? 200 : 404).send();
    });
    scope.post<{ Params: BlobParams }>("/api/blobs/:digest", async (request, reply) => {
      const digest = parseDigest(request.params.digest);
      const { body, headers } = request;
      // Unknown where nothing is sent, or something in an encoding of another length.
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
