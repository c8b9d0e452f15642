// Server of the admin API: on a socket that only its user can open, and behind the gateway for
// admin keys.
import { chmodSync, rmSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import Fastify, { type FastifyInstance } from "fastify";
import { ProductError } from "../../base/product-error.ts";
import { cloudErrors } from "../errors.ts";
import { noteCaller } from "./access.ts";
import { errorDocument, replyWithErrors } from "./error-replies.ts";
import { registerApps, registerDeployments } from "./routes/app-routes.ts";
import { registerEnvironments } from "./routes/environment-routes.ts";
import { registerKeys } from "./routes/key-routes.ts";
import { registerLogs } from "./routes/log-routes.ts";
import { registerQueue } from "./routes/queue-routes.ts";
import { registerSecrets } from "./routes/secret-routes.ts";
import { registerServer } from "./routes/server-routes.ts";
import { registerShells } from "./routes/shell-routes.ts";
import type { AdminServices } from "./services.ts";

export const adminPathPrefix = "/_/v1/";

export interface AdminServer {
  /**
   * Listens on a Unix socket with mode 0600. Removes one left by a dead server: the caller holds
   * the state folder's lock.
   *
   * @throws ProductError `CLOUD_STATE_UNUSABLE` when the socket cannot be created
   */
  listen(socketPath: string): Promise<void>;
  /**
   * Answers a request that arrived at the gateway.
   *
   * @param key the caller's; undefined without a valid one
   * @returns false when the path is not part of the admin API
   */
  answer(
    request: IncomingMessage,
    response: ServerResponse,
    key: { id: string; organisation: string; scope: string } | undefined,
  ): boolean;
  /** Closes the server and cuts running streams. */
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
      registerEnvironments(scope, services);
      registerQueue(scope, services);
      registerShells(scope, services);
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

/** Accepts a JSON POST with an empty body as one without a body. */
function acceptEmptyBodies(server: FastifyInstance): void {
  server.addContentTypeParser("application/json", { parseAs: "string" }, (_request, body, done) => {
    if (body === "") return done(null, undefined);
    try {
      done(null, JSON.parse(String(body)));
    } catch {
      const message = "The body is not valid JSON.";
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
      message: `Cannot create the admin socket ${socketPath}.`,
      hint: "Socket paths are limited to 107 characters. Choose a shorter --state-dir.",
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
      ? "This key does not have the scope admin, which the control plane requires."
      : "The control plane requires an admin key in the header `Authorization: Key <token>`.",
    hint: "Create one on the server's machine with `deployctl keys create --scope admin`.",
  });
  const body = JSON.stringify(errorDocument(error));
  response.writeHead(error.status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    ...(!isKnown && { "www-authenticate": 'Key realm="admin"' }),
  });
  response.end(body);
}
