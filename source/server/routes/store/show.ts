// POST /api/show: everything known of a model.
import type { FastifyInstance } from "fastify";
import { ProductError } from "../../../base/product-error.ts";
import { storeErrors } from "../../../store/errors.ts";
import type { ModelParameters } from "../../../store/model-parameters.ts";
import { fileAccess } from "../../access.ts";
import type { ServerDependencies } from "../../dependencies.ts";
import { describeModel } from "../../description/describe-model.ts";
import { invalidField } from "../../errors.ts";
import { parseOptions } from "../../options.ts";
import { clientSignal, requestCanceled } from "../../run-request.ts";
import { warningsOf } from "../../warnings.ts";
import { nameIn, ShowBody } from "./schema.ts";

export function registerShow(app: FastifyInstance, dependencies: ServerDependencies): void {
  const { catalog, library } = dependencies;
  const { templateTimeoutMs } = library;
  app.post<{ Body: ShowBody }>("/show", { schema: { body: ShowBody } }, async (request, reply) => {
    const { verbose, system, options } = request.body;
    const name = nameIn(request.body);
    if (name === "") throw invalidField("model", "model is required");
    const parameters =
      options === undefined
        ? undefined
        : withoutEmpty(parseOptions(options, warningsOf(dependencies, reply)));
    const model = await catalog
      .resolve(name, fileAccess(request, dependencies))
      .catch((error: unknown) => {
        throw withFullName(error, () => {
          const parsed = catalog.parse(name);
          return parsed.kind === "name" ? parsed.name.display : name;
        });
      });
    const signal = clientSignal(reply);
    const description = describeModel(model, {
      verbose,
      system: system || undefined,
      parameters,
      templateTimeoutMs,
      signal,
    });
    return await description.catch((error: unknown) => {
      throw signal.aborted ? requestCanceled() : error;
    });
  });
}

/** Ollama's own command sends absent values as empty ones, which change nothing. */
function withoutEmpty(parameters: ModelParameters): ModelParameters {
  const { stop, ...others } = parameters;
  return { ...others, ...(stop !== undefined && stop.length > 0 && { stop }) };
}

/** Clients of Ollama expect the tag in the message, even when they left it out. */
function withFullName(error: unknown, fullName: () => string): unknown {
  const isMissing = error instanceof ProductError && error.code === storeErrors.modelNotFound.code;
  return isMissing ? error.reworded({ message: `model '${fullName()}' not found` }) : error;
}
