// Lets in who brings a valid key, where keys are asked for, and keeps each key within its role.
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { describeError, ProductError } from "../../base/product-error.ts";
import { FailedAttempts } from "../../keys/failed-attempts.ts";
import type { KeyRecord } from "../../keys/key-record.ts";
import { RequestBudget } from "../../keys/request-budget.ts";
import { serverKeyPrefix } from "../../keys/token.ts";
import { isOwner } from "../access.ts";
import type { ServerDependencies } from "../dependencies.ts";
import { serverErrors } from "../errors.ts";
import { readKeyHeader } from "./key-header.ts";

/** They tell no more than that a server is here. */
const openPaths = new Set(["/", "/api/version"]);

/** What a key with the role infer may call beside `/v1`; all other routes need the role manage. */
const inferencePaths = new Set([
  "/api/generate",
  "/api/chat",
  "/api/embed",
  "/api/embeddings",
  "/api/tokenize",
  "/api/detokenize",
  "/api/show",
  "/api/tags",
  "/api/ps",
  // Of what the same key has sent.
  "/api/cancel",
  "/api/requests",
  "/api/requests/:id",
  "/api/metrics",
  "/api/capacity",
  "/metrics",
  "/openapi.json",
]);

const howToSend = `Send it as 'Authorization: Bearer ${serverKeyPrefix}…' or as 'x-api-key'.`;

type Dependencies = Pick<ServerDependencies, "keyAccess" | "ownerToken" | "requestLog" | "log">;

export function requireKeys(app: FastifyInstance, dependencies: Dependencies): void {
  const { keyAccess, ownerToken, requestLog, log } = dependencies;
  const { keys, isRequired, requestsPerMinute } = keyAccess;
  const budget = requestsPerMinute === undefined ? undefined : new RequestBudget(requestsPerMinute);
  const failures = new FailedAttempts();

  /** @throws ProductError for whoever is to stay outside */
  const admit = ({ raw, ip }: FastifyRequest, reply: FastifyReply): KeyRecord => {
    const header = readKeyHeader(raw);
    const key = header.kind === "key" ? keys?.verify(header.token) : undefined;
    if (key !== undefined) return key;
    const refusal = refusalFor(header);
    const { isNews, unreported, waitMs } = failures.note(ip);
    if (isNews) {
      const more = unreported > 0 ? `, and ${unreported} more since the last such line` : "";
      log(`a request from ${ip} was refused: ${refusal.code}${more}`);
    }
    if (waitMs > 0) throw tooMany("Too many requests from here came without a valid key.", waitMs);
    reply.header("www-authenticate", 'Bearer realm="modelctl"');
    throw refusal;
  };

  /** Where no key is asked for, any may be sent, as clients of other servers do. */
  const identify = ({ raw }: FastifyRequest): KeyRecord | undefined => {
    const header = readKeyHeader(raw);
    if (header.kind !== "key" || !header.token.startsWith(serverKeyPrefix)) return undefined;
    try {
      return keys?.verify(header.token);
    } catch (error) {
      log(describeError(error));
      return undefined;
    }
  };

  app.decorateRequest("caller", undefined);
  app.addHook("onRequest", async (request, reply) => {
    const isOpen = openPaths.has(request.routeOptions.url ?? "");
    if (isOpen || isOwner(request, ownerToken)) {
      request.caller = { keyId: undefined, mayManage: true };
      return;
    }
    const key = isRequired ? admit(request, reply) : identify(request);
    request.caller = { keyId: key?.id, mayManage: !isRequired || key?.role === "manage" };
    if (key === undefined) return;
    if (request.record !== undefined) requestLog.update(request.record, { keyId: key.id });
    const waitMs = budget?.take(key.id) ?? 0;
    if (waitMs > 0) {
      throw tooMany(`A key may send ${requestsPerMinute} requests a minute.`, waitMs);
    }
    if (!request.caller.mayManage) refuseManaging(request, key);
  });
}

function refusalFor(header: ReturnType<typeof readKeyHeader>): ProductError {
  switch (header.kind) {
    case "none":
      return new ProductError(serverErrors.keyMissing, {
        message: "This server asks for a key.",
        hint: howToSend,
      });
    case "malformed":
      return new ProductError(serverErrors.keyHeaderMalformed, {
        message: header.sentence,
        hint: howToSend,
      });
    case "key":
      return new ProductError(serverErrors.keyInvalid, {
        message: `The key in ${header.header} is not valid: mistyped, unknown, revoked or expired.`,
        hint: "modelctl keys list tells on the server which keys there are.",
      });
  }
}

function refuseManaging({ method, routeOptions }: FastifyRequest, key: KeyRecord): void {
  const { url } = routeOptions;
  // An unknown route is answered as such.
  if (url === undefined || url.startsWith("/v1/") || inferencePaths.has(url)) return;
  throw new ProductError(serverErrors.keyForbidden, {
    message: `The key ${key.id} has the role infer, and ${method} ${url} needs the role manage.`,
    hint: "Make another one with modelctl keys create --role manage.",
  });
}

function tooMany(message: string, waitMs: number): ProductError {
  const seconds = Math.ceil(waitMs / 1000);
  return new ProductError(serverErrors.rateLimited, {
    message,
    hint: `Try again in ${seconds} s.`,
    retryAfterSeconds: seconds,
  });
}
