// The model that a native request names, and the words in which each route says that there is none.
import type { FastifyRequest } from "fastify";
import { ProductError } from "../../../base/product-error.ts";
import { storeErrors } from "../../../store/errors.ts";
import type { ResolvedModel } from "../../../store/model-catalog.ts";
import { fileAccess } from "../../access.ts";
import type { ServerDependencies } from "../../dependencies.ts";
import { invalidField } from "../../errors.ts";

export interface NamedModel {
  /** As the client named it. */
  name: string;
  isFileAllowed: (file: string) => boolean;
  model: ResolvedModel;
}

/** Clients of Ollama look for these very texts, which differ from route to route. */
export interface ModelWordings {
  /** A name that is left out is missing like any other, or asked for. */
  absent: "not found" | "required";
  /** Of a model that is not there; undefined leaves it to the store. */
  notFound?: (name: string) => string;
}

/**
 * Finds the model, without loading it, and notes it in the request log.
 *
 * @throws ProductError of the store, `SERVER_FIELD_INVALID`
 */
export async function findModel(
  dependencies: ServerDependencies,
  request: FastifyRequest,
  { model: name = "", stream, unloads }: { model?: string; stream: boolean; unloads?: boolean },
  { absent, notFound }: ModelWordings,
): Promise<NamedModel> {
  const { scheduler, requestLog } = dependencies;
  if (request.record !== undefined) requestLog.update(request.record, { model: name, stream });
  if (name === "") throw noName(absent);
  const isFileAllowed = fileAccess(request, dependencies);
  try {
    return { name, isFileAllowed, model: await scheduler.resolve({ model: name, isFileAllowed }) };
  } catch (error) {
    const left = unloads ? leftOf(name, error, scheduler) : undefined;
    if (left !== undefined) return { name, isFileAllowed, model: left };
    const isMissing =
      error instanceof ProductError && error.code === storeErrors.modelNotFound.code;
    if (!isMissing || notFound === undefined) throw error;
    throw new ProductError(storeErrors.modelNotFound, { message: notFound(name), param: "model" });
  }
}

/** What is loaded of a file that cannot be used any more, or has gone: it can still be unloaded. */
function leftOf(
  name: string,
  error: unknown,
  { models }: ServerDependencies["scheduler"],
): ResolvedModel | undefined {
  const isRefused = error instanceof ProductError && error.code === storeErrors.fileNotAllowed.code;
  return isRefused ? undefined : models.find(({ names }) => names.has(name))?.model;
}

function noName(absent: ModelWordings["absent"]): ProductError {
  if (absent === "required") return invalidField("model", "model is required");
  return new ProductError(storeErrors.modelNotFound, {
    message: "model '' not found",
    hint: "Name a model.",
    param: "model",
  });
}
