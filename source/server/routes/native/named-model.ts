// The model that a native request names: found, refused in each route's own words, or unloaded.
import type { FastifyReply, FastifyRequest } from "fastify";
import { describeError, ProductError } from "../../../base/product-error.ts";
import { storeErrors } from "../../../store/errors.ts";
import type { ResolvedModel } from "../../../store/model-catalog.ts";
import { fileAccess } from "../../access.ts";
import type { ServerDependencies } from "../../dependencies.ts";
import { invalidField } from "../../errors.ts";
import { createdAt } from "./records.ts";

export interface NamedModel {
  /** As named by the client. */
  name: string;
  isFileAllowed: (file: string) => boolean;
  model: ResolvedModel;
}

/** Clients of Ollama look for these texts, which differ by route. */
export interface ModelWordings {
  /** Error for a missing name; absent: like an unknown one. */
  absent: "not found" | "required";
  /** Error for an unknown model; undefined leaves it to the store. */
  notFound?: (name: string) => string;
}

/**
 * Finds the model without loading it, and records it in the request log.
 *
 * @throws ProductError of the store, `SERVER_FIELD_INVALID`
 */
export async function findNamedModel(
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

/** Finds a loaded model whose file is damaged or gone: it can still be unloaded. */
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

/** Unloads a model and replies at once; a model in use unloads after its last request. */
export async function unloadReply(
  { scheduler, log }: ServerDependencies,
  reply: FastifyReply,
  model: ResolvedModel,
  name: string,
  content: Record<string, unknown>,
): Promise<FastifyReply> {
  scheduler.unload(model).catch((error: unknown) => {
    log(`unloading ${name} failed: ${describeError(error)}`);
  });
  return await reply.send({
    model: name,
    created_at: createdAt(),
    ...content,
    done: true,
    done_reason: "unload",
  });
}
