// Reads every body as JSON, whatever its Content-Type says, as the peers do.
import type { FastifyInstance } from "fastify";
import { ProductError } from "../../base/product-error.ts";
import { serverErrors } from "../errors.ts";

const mostLevels = 512;

export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  // Fastify would refuse a type that it cannot read.
  app.addHook("onRequest", async ({ raw }) => {
    if (raw.headers["content-type"] !== undefined) raw.headers["content-type"] = "application/json";
  });
  app.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => done(null, body));
  // Parsed only for routes that want one: an unknown route is unknown whatever was sent to it.
  app.addHook("preValidation", async (request) => {
    if (request.routeOptions.schema?.body === undefined) return;
    request.body = parseBody(typeof request.body === "string" ? request.body : "");
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
  refuseDeepBody(body);
  if (body === null || typeof body !== "object" || Array.isArray(body)) return body;
  // null means "not given", for every field at the top.
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}

/** Whatever walks through a value later may call itself for each level. */
function refuseDeepBody(body: unknown): void {
  let level: unknown[] = [body];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > mostLevels) {
      throw new ProductError(serverErrors.bodyInvalid, {
        message: `The request's body is nested too deeply: JSON of at most ${mostLevels} levels is read.`,
      });
    }
    const inner: unknown[] = [];
    for (const value of level) {
      if (typeof value !== "object" || value === null) continue;
      for (const each of Object.values(value)) {
        if (typeof each === "object" && each !== null) inner.push(each);
      }
    }
    level = inner;
  }
}

function missingBody(): ProductError {
  return new ProductError(serverErrors.bodyMissing, {
    message: "missing request body",
  });
}
