// Error responses of the admin API.
import type { FastifyError, FastifyInstance } from "fastify";
import { exitCodes, ProductError } from "../../base/product-error.ts";
import { systemCode } from "../../base/write-refusal.ts";
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
      message: `Unknown route: ${request.method} ${request.url.split("?")[0]}.`,
      hint: "The server may run another version: compare `deployctl --version` with `deployctl status`.",
    });
    return reply.code(404).send(errorDocument(error));
  });
}

/** @param error undefined for a defect, whose details are only logged */
export function errorDocument(error: ProductError | undefined): ErrorDocument {
  if (error === undefined) {
    const message = "Internal error in the control plane; see its log.";
    return { error: { code: "UNEXPECTED", message, exitCode: exitCodes.unexpected } };
  }
  const { code, message, hint, exitCode } = error;
  return { error: { code, message, ...(hint !== undefined && { hint }), exitCode } };
}

/** System error codes of a disk that cannot be written. */
const fullDisk: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EROFS"]);

/** Gives Fastify's own errors our codes. */
function toProductError(error: FastifyError | Error): ProductError | undefined {
  if (error instanceof ProductError) return error;
  const code = systemCode(error) ?? "";
  if (code === "ERR_SQLITE_ERROR") {
    return new ProductError(cloudErrors.stateUnusable, {
      message: `Cannot write to the state database: ${error.message}.`,
      hint: "Free some disk space, then run `deployctl state check`.",
      cause: error,
    });
  }
  if (fullDisk.has(code)) {
    return new ProductError(cloudErrors.stateUnusable, {
      message: `Cannot write to the state folder: ${error.message}.`,
      hint: "Free some disk space.",
      cause: error,
    });
  }
  const { validation, statusCode } = error as Partial<FastifyError>;
  const first = validation?.[0];
  if (first !== undefined) {
    const path = first.instancePath.slice(1).replaceAll("/", ".");
    const extra = first.params.additionalProperty ?? first.params.unevaluatedProperty;
    const what = typeof extra === "string" ? `has an unknown field ${extra}` : first.message;
    return invalid(`${path === "" ? "The body" : path} ${what ?? "is invalid"}.`);
  }
  if (statusCode !== undefined && statusCode < 500) return invalid(`${error.message}.`);
  return undefined;
}

function invalid(message: string): ProductError {
  return new ProductError(cloudErrors.requestInvalid, { message });
}
