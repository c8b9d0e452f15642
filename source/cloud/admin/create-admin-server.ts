// The admin API: HTTP on a socket that only the user can open, and behind the gateway for admin keys.
import { chmodSync, rmSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import Fastify, { type FastifyInstance } from "fastify";
import { ProductError } from "../../base/product-error.ts";
import { cloudErrors } from "../errors.ts";
import { noteCaller } from "./caller.ts";
import { errorDocument, replyWithErrors } from "./error-replies.ts";
import { registerApps } from "./routes/app-routes.ts";
import { registerDeployments } from "./routes/deployment-routes.ts";
import { registerKeys } from "./routes/key-routes.ts";
import { registerLogs } from "./routes/log-routes.ts";
import { registerSecrets } from "./routes/secret-routes.ts";
import { registerServer } from "./routes/server-routes.ts";
import type { AdminServices } from "./services.ts";

export const adminPathPrefix = "/_/v1/";

export interface AdminServer {
  /**
   * Takes requests on a socket of the file system, 0600. One that a dead server left is removed:
   * whoever calls holds the state folder's lock.
   *
   * @throws ProductError `CLOUD_STATE_UNUSABLE` when the socket cannot be made there
   */
  listen(socketPath: string): Promise<void>;
  /**
   * Answers a request that came in at the gateway.
   *
   * @param key of the caller; undefined without a valid one
   * @returns false: the path is not one of the admin API
   */
  answer(
    request: IncomingMessage,
    response: ServerResponse,
    key: { id: string; organisation: string; scope: string } | undefined,
  ): boolean;
  /** Cuts the streams that run. */
  close(): Promise<void>;
}

export async function createAdminServer(services: AdminServices): Promise<AdminServer> {
  const server = Fastify({
    logger: false,
    forceCloseConnections: true,
    routerOptions: { maxParamLength: 512 },
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false } },
  });
  replyWithErrors(server, services.log);
  acceptEmptyBodies(server);
  await server.register(
    async (scope) => {
      registerServer(scope, services);
      registerApps(scope, services);
      registerDeployments(scope, services);
      registerLogs(scope, services);
      registerSecrets(scope, services);
      registerKeys(scope, services);
    },
    { prefix: adminPathPrefix.slice(0, -1) },
  );
  await server.ready();
  return {
    listen: async (socketPath) => await listenOn(server, socketPath),
    answer: (request, response, key) => {
      if (!request.url?.startsWith(adminPathPrefix)) return false;
      if (key?.scope !== "admin") {
        refuse(response, key !== undefined);
        return true;
      }
      noteCaller(request, { keyId: key.id, organisation: key.organisation });
      server.routing(request, response);
      return true;
    },
    close: async () => await server.close(),
  };
}

/** A POST that says its body is JSON and sends none means no body. */
function acceptEmptyBodies(server: FastifyInstance): void {
  server.addContentTypeParser("application/json", { parseAs: "string" }, (_request, body, done) => {
    if (body === "") return done(null, undefined);
    try {
      done(null, JSON.parse(String(body)));
    } catch {
      const message = "The body is not JSON.";
      done(new ProductError(cloudErrors.requestInvalid, { message }));
    }
  });
}

async function listenOn(server: FastifyInstance, socketPath: string): Promise<void> {
  rmSync(socketPath, { force: true });
  const umask = process.umask(0o177);
  try {
    await server.listen({ path: socketPath });
  } catch (cause) {
    throw new ProductError(cloudErrors.stateUnusable, {
      message: `The admin socket ${socketPath} cannot be made.`,
      hint: "A socket's path has at most 107 characters; choose a shorter --state-dir.",
      cause,
    });
  } finally {
    process.umask(umask);
  }
  chmodSync(socketPath, 0o600);
}

function refuse(response: ServerResponse, isKnown: boolean): void {
  const error = new ProductError(isKnown ? cloudErrors.keyTooWeak : cloudErrors.keyRefused, {
    message: isKnown
      ? "The control plane wants a key of the scope admin; this one has less."
      : "The control plane wants the header Authorization: Key <token>, with an admin key.",
    hint: "deployctl keys create --scope admin makes one, on the server's own machine.",
  });
  const body = JSON.stringify(errorDocument(error));
  response.writeHead(error.status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    ...(!isKnown && { "www-authenticate": 'Key realm="admin"' }),
  });
  response.end(body);
}
