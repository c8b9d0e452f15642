// POST /api/create: creates a model from another, or from uploaded files.
import type { FastifyInstance } from "fastify";
import { quoteShort } from "../../../base/display-text.ts";
import { ProductError } from "../../../base/product-error.ts";
import { storeErrors } from "../../../store/errors.ts";
import type { ModelStore } from "../../../store/library/model-store.ts";
import { parseQuantizationType } from "../../../store/quantize/quantize-weights.ts";
import { fileAccess } from "../../access.ts";
import type { ServerDependencies } from "../../dependencies.ts";
import { readDefinition } from "./create-definition.ts";
import { readModelfile } from "./modelfile-definition.ts";
import { replyWithProgress } from "./progress-reply.ts";
import { CreateBody, nameIn, parseNewName } from "./schema.ts";

export function registerCreate(app: FastifyInstance, dependencies: ServerDependencies): void {
  const { library, requestLog } = dependencies;
  const { catalog, store } = library;
  app.post<{ Body: CreateBody }>(
    "/create",
    { schema: { body: CreateBody } },
    async (request, reply) => {
      const { body, record } = request;
      const { quantize } = body;
      const stream = body.stream !== false;
      const name = parseNewName(catalog, nameIn(body));
      if (record !== undefined) requestLog.update(record, { model: name.display, stream });
      if (quantize) parseQuantizationType(quantize);
      const { definition, otherParameters, warnings, explain } =
        body.modelfile === undefined
          ? {
              ...(await readDefinition(store, body)),
              explain: (error: unknown) => inWordsOfClient(error, store, body),
            }
          : readModelfile(body, body.modelfile);
      const options = {
        otherParameters,
        isAllowed: fileAccess(request, dependencies),
        ...(quantize && { quantize }),
      };
      // Most errors show while files are checked: before the second record.
      const shape = { stream, warnings, holdsFirst: true };
      return await replyWithProgress(reply, shape, (work) =>
        library.make(name, definition, options, work).catch((error: unknown) => {
          throw explain(error);
        }),
      );
    },
  );
}

/** Uses the client's file names, not the paths of their blobs. */
function inWordsOfClient(error: unknown, store: ModelStore, body: CreateBody): unknown {
  if (!(error instanceof ProductError)) return error;
  let { message } = error;
  for (const [name, digest] of Object.entries({
    ...body.files,
    ...body.adapters,
    ...body.draft_files,
  })) {
    message = message.replaceAll(store.blobPath(digest), quoteShort(name));
  }
  if (error.code === storeErrors.notGguf.code) {
    // Clients of Ollama look for this text.
    message = `supplied file was not in GGUF format: ${message}`;
    return error.reworded({ message, param: "files" });
  }
  return message === error.message ? error : error.reworded({ message });
}
