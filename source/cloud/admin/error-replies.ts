// Errors of the admin API, in the shape that its client reads.
import type { FastifyError, FastifyInstance } from "fastify";
import { exitCodes, ProductError } from "../../base/product-error.ts";
import { cloudErrors } from "../errors.ts";
import type { ErrorDocument } from "./documents.ts";

export function replyWithErrors(app: FastifyInstance, log: (text: string) => void): void {
  app.setErrorHandler((error: FastifyError | Error, _request, reply) => {
    const known = toProductError(error);
    if (known === undefined) log(error.stack ?? String(error));
    return reply.code(known?.status ?? 500).send(errorDocument(known));
  });
  app.setNotFoundHandler((request, reply) => {
    const error = new ProductError(cloudErrors.requestInvalid, {
      message: `The control plane has no ${request.method} ${request.url.split("?")[0]}.`,
      hint: "Another version of deployctl may run: compare deployctl --version with its status.",
    });
    return reply.code(404).send(errorDocument(error));
  });
}

/** @param error undefined: a defect, of whose inside nothing is told */
export function errorDocument(error: ProductError | undefined): ErrorDocument {
  if (error === undefined) {
    const message = "The control plane met an unexpected error; its log has the details.";
    return { error: { code: "UNEXPECTED", message, exitCode: exitCodes.unexpected } };
  }
  const { code, message, hint, exitCode } = error;
  return { error: { code, message, ...(hint !== undefined && { hint }), exitCode } };
}

/** What the system says of a disk that takes nothing more. */
const fullDisk: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EROFS"]);

/** Fastify's own errors get our code. */
function toProductError(error: FastifyError | Error): ProductError | undefined {
  if (error instanceof ProductError) return error;
  if ("code" in error && error.code === "ERR_SQLITE_ERROR") {
    return new ProductError(cloudErrors.stateUnusable, {
      message: `The state database did not take it: ${error.message}.`,
      hint: "Free some room on its disk; deployctl state check examines it.",
      cause: error,
    });
  }
  if ("code" in error && fullDisk.has(String(error.code))) {
    return new ProductError(cloudErrors.stateUnusable, {
      message: `The state folder did not take it: ${error.message}.`,
      hint: "Free some room on its disk.",
      cause: error,
    });
  }
  const { validation, statusCode } = error as Partial<FastifyError>;
  const first = validation?.[0];
  if (first !== undefined) {
    const path = first.instancePath.slice(1).replaceAll("/", ".");
    const extra = first.params.additionalProperty ?? first.params.unevaluatedProperty;
    const what = typeof extra === "string" ? `has an unknown field ${extra}` : first.message;
    return invalid(`${path === "" ? "The body" : path} ${what ?? "is not right"}.`);
  }
  if (statusCode !== undefined && statusCode < 500) return invalid(`${error.message}.`);
  return undefined;
}

function invalid(message: string): ProductError {
  return new ProductError(cloudErrors.requestInvalid, { message });
}
