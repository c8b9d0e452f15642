// POST /api/create: creates a model from another, or from uploaded files.
import type { FastifyInstance } from "fastify";
import { quoteShort } from "../../../base/display-text.ts";
import { ProductError } from "../../../base/product-error.ts";
import { storeErrors } from "../../../store/errors.ts";
import type { ModelStore } from "../../../store/library/model-store.ts";
import { parseQuantizationType } from "../../../store/quantize/quantize-weights.ts";
import { fileAccess } from "../../access.ts";
import type { ServerDependencies } from "../../dependencies.ts";
import { invalidField } from "../../errors.ts";
import { readDefinition } from "./create-definition.ts";
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
      const options = {
        isAllowed: fileAccess(request, dependencies),
        ...(quantize && { quantize }),
      };
      // Most errors show while files are checked: before the second record.
      const shape = { stream, holdsFirst: true };
      if (body.modelfile !== undefined) {
        refuseCompanions(body);
        const modelfile = await library.parseModelfile(body.modelfile);
        const { warnings } = modelfile;
        // Relative paths start from the server's folder, not the client's.
        const placed = { ...options, baseFolder: process.cwd() };
        return await replyWithProgress(reply, { ...shape, warnings }, (work) =>
          library.create(name, modelfile, placed, work),
        );
      }
      const { definition, otherParameters, warnings } = await readDefinition(store, body);
      return await replyWithProgress(reply, { ...shape, warnings }, (work) =>
        library
          .make(name, definition, { ...options, otherParameters }, work)
          .catch((error: unknown) => {
            throw inWordsOfClient(error, store, body);
          }),
      );
    },
  );
}

/** Fields allowed besides a Modelfile. */
const companions: ReadonlySet<string> = new Set([
  "model",
  "name",
  "stream",
  "quantize",
  "modelfile",
]);

/** @throws ProductError `SERVER_FIELD_INVALID` for a field that a Modelfile replaces */
function refuseCompanions(body: CreateBody): void {
  const other = Object.keys(body).find((name) => !companions.has(name));
  if (other === undefined) return;
  throw invalidField(
    other,
    `'${other}' and 'modelfile' exclude each other: write it in the Modelfile.`,
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
