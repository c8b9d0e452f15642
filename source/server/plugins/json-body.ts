// Reads every body as JSON regardless of its Content-Type, as Ollama does.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { ProductError } from "../../base/product-error.ts";
import { serverErrors } from "../errors.ts";

const maxLevels = 512;
/** Longer bodies are parsed in steps, so that other requests are served in between. */
const longBody = 1024 ** 2;

export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  // Fastify would refuse an unknown content type.
  app.addHook("onRequest", async ({ raw }) => {
    if (raw.headers["content-type"] !== undefined) raw.headers["content-type"] = "application/json";
  });
  app.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => done(null, body));
  // Parsed only for routes that expect JSON: an unknown route is 404 for any body.
  app.addHook("preValidation", async (request) => {
    if (request.routeOptions.schema?.body === undefined) return;
    const text = typeof request.body === "string" ? request.body : "";
    const body = parseBody(text);
    if (text.length > longBody) await nextTurn();
    refuseDeepBody(body);
    request.body = withoutNulls(body);
    if (text.length > longBody) await nextTurn();
  });
  // Runs after the schema check.
  app.addHook("preHandler", async ({ headers }) => {
    if (Number(headers["content-length"]) > longBody) await nextTurn();
  });
}

function parseBody(text: string): unknown {
  if (text.trim() === "") throw missingBody();
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ProductError(serverErrors.bodyInvalid, {
      message: `The request body is not JSON: ${error instanceof Error ? error.message : error}.`,
      cause: error,
    });
  }
}

/** null at the top level means "not given". */
function withoutNulls(body: unknown): unknown {
  if (body === null || typeof body !== "object" || Array.isArray(body)) return body;
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}

/** Limits nesting, since later code recurses once per level. */
function refuseDeepBody(body: unknown): void {
  let level: unknown[] = [body];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxLevels) {
      throw new ProductError(serverErrors.bodyInvalid, {
        message: `The request body is nested too deeply: the limit is ${maxLevels} levels.`,
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
