// Requires a valid key where keys are in use, and limits each key to its role.
import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { KeyRecord } from "../../api-keys/key-record.ts";
import { FailedAttempts, RequestBudget } from "../../api-keys/limits.ts";
import { serverKeyPrefix } from "../../api-keys/token.ts";
import { describeError, ProductError } from "../../base/product-error.ts";
import { isOwner } from "../access.ts";
import type { ServerDependencies } from "../dependencies.ts";
import { serverErrors } from "../errors.ts";

/** Public routes: they only reveal that a server is running. */
const openPaths = new Set(["/", "/health", "/api/version"]);

/**
 * Routes that a key with the role infer may call besides `/v1`; all others need the role manage.
 */
const inferencePaths = new Set([
  "/api/generate",
  "/api/chat",
  "/api/embed",
  "/api/embeddings",
  "/api/apply-template",
  "/apply-template",
  "/api/tokenize",
  "/api/detokenize",
  "/api/show",
  "/api/tags",
  "/api/ps",
  // Limited to requests of the same key.
  "/api/answer-now",
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

  /** @throws ProductError when access is denied */
  const admit = ({ raw, ip }: FastifyRequest, reply: FastifyReply): KeyRecord => {
    const header = readKeyHeader(raw);
    const key = header.kind === "key" ? keys?.verify(header.token) : undefined;
    if (key !== undefined) return key;
    const refusal = refusalFor(header);
    const { isNews, unreported, waitMs } = failures.note(ip);
    if (isNews) {
      const more = unreported > 0 ? `, and ${unreported} more since the last such message` : "";
      log(`a request from ${ip} was refused: ${refusal.code}${more}`);
    }
    if (waitMs > 0) throw tooMany("Too many requests from this address had no valid key.", waitMs);
    reply.header("www-authenticate", 'Bearer realm="modelctl"');
    throw refusal;
  };

  /** Accepts any key where none is required, as other servers do. */
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
        message: "This server requires a key.",
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
        hint: "Run modelctl keys list on the server to see its keys.",
      });
  }
}

function refuseManaging({ method, routeOptions }: FastifyRequest, key: KeyRecord): void {
  const { url } = routeOptions;
  // An unknown route gets its own 404.
  if (url === undefined || url.startsWith("/v1/") || inferencePaths.has(url)) return;
  throw new ProductError(serverErrors.keyForbidden, {
    message: `The key ${key.id} has the role infer, and ${method} ${url} needs the role manage.`,
    hint: "Create another with modelctl keys create --role manage.",
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

type KeyHeader =
  | { kind: "none" }
  | { kind: "key"; token: string; header: string }
  /** The sentence names the problem without repeating the header, which may hold a key. */
  | { kind: "malformed"; sentence: string };

/**
 * Reads the key from `x-api-key` or `Authorization: Bearer`. The first one wins: the other may be meant
 * for a proxy.
 */
function readKeyHeader({ headers, rawHeaders }: IncomingMessage): KeyHeader {
  const own = headers["x-api-key"];
  if (typeof own === "string" && own !== "") {
    return { kind: "key", token: own, header: "x-api-key" };
  }
  const { authorization } = headers;
  if (authorization === undefined || authorization === "") return { kind: "none" };
  const count = rawHeaders.filter(
    (name, index) => index % 2 === 0 && name.toLowerCase() === "authorization",
  ).length;
  if (count > 1) return malformed("The request has two Authorization headers.");
  const [scheme = "", token, ...rest] = authorization.trim().split(/ +/);
  if (scheme.toLowerCase() === "bearer") {
    if (token !== undefined && rest.length === 0) {
      return { kind: "key", token, header: "Authorization" };
    }
    return malformed(
      `The Authorization header has ${token === undefined ? "no key" : "more than one word"} after 'Bearer'.`,
    );
  }
  // A lone word may be a key without its scheme.
  return malformed(
    token === undefined || !/^[A-Za-z][\w-]{0,20}$/.test(scheme)
      ? "The Authorization header has no scheme before the key."
      : `The Authorization header has the scheme '${scheme}'.`,
  );
}

function malformed(sentence: string): KeyHeader {
  return { kind: "malformed", sentence };
}
