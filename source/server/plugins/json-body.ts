// Reads every body as JSON, whatever its Content-Type says, as the peers do.
import type { FastifyInstance } from "fastify";
import { ProductError } from "../../base/product-error.ts";
import { serverErrors } from "../errors.ts";

export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => {
    try {
      done(null, parseBody(String(body)));
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
    }
  });
  // Without a Content-Type header and a body no parser runs.
  app.addHook("preValidation", async (request) => {
    if (request.routeOptions.schema?.body !== undefined && request.body === undefined) {
      throw missingBody();
    }
  });
}

function parseBody(text: string): unknown {
  if (text.trim() === "") throw missingBody();
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    throw new ProductError(serverErrors.bodyInvalid, {
      message: `The request's body is not JSON: ${error instanceof Error ? error.message : error}.`,
      cause: error,
    });
  }
  if (body === null || typeof body !== "object" || Array.isArray(body)) return body;
  // null means "not given", for every field at the top.
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}

function missingBody(): ProductError {
  return new ProductError(serverErrors.bodyMissing, {
    message: "missing request body",
    hint: "Send a JSON object.",
  });
}
