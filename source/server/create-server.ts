// Builds the HTTP server: plugins that concern every request first, then the routes of each API.
import Fastify, { type FastifyInstance, type FastifyServerFactory } from "fastify";
import { allowHalfClosed, watchHalfClosed } from "../base/http-connection.ts";
import { loadHttps } from "../base/node-http.ts";
import { ProductError } from "../base/product-error.ts";
import { engineErrors } from "../engine/errors.ts";
import type { CertificatePair } from "../tls/certificate-files.ts";
import { onPlainHttp } from "../tls/plain-http.ts";
import type { ServerDependencies } from "./dependencies.ts";
import { describeApi } from "./openapi/describe-api.ts";
import { unpackBodies } from "./plugins/encoded-bodies.ts";
import { replyWithErrors } from "./plugins/error-replies.ts";
import { readJsonBodies } from "./plugins/json-body.ts";
import { guardOrigins } from "./plugins/origin-and-host.ts";
import { fetchRemoteImages } from "./plugins/remote-images.ts";
import {
  answerUnreadable,
  largestHeaderBytes,
  limitSizes,
  refuseSlowBodies,
} from "./plugins/request-limits.ts";
import { countRequests, recordRequests } from "./plugins/request-records.ts";
import { traceRequests } from "./plugins/request-traces.ts";
import { requireKeys } from "./plugins/require-key.ts";
import { validateBodies } from "./plugins/validation.ts";
import { anthropicRoutes } from "./routes/anthropic/messages.ts";
import { applyTemplateRoutes } from "./routes/apply-template.ts";
import { nativeRoutes } from "./routes/native/native-routes.ts";
import { openAiRoutes } from "./routes/openai/openai-routes.ts";
import { statusRoutes } from "./routes/status.ts";
import { storeRoutes } from "./routes/store/store-routes.ts";
import { warnOfUnknownFields } from "./unknown-fields.ts";

/**
 * @param certificate undefined: plain HTTP
 * @param isLoopbackBound told once the server listens; decides whether Host headers are checked
 */
export async function createServer(
  dependencies: ServerDependencies,
  isLoopbackBound: () => boolean,
  certificate?: CertificatePair,
): Promise<FastifyInstance> {
  const { limits } = dependencies;
  const app = Fastify({
    ...(certificate && { serverFactory: securely(certificate) }),
    // Fastify's own logger is off: on stdout it would write into the TUI.
    logger: false,
    bodyLimit: limits.bodyBytes,
    http: { maxHeaderSize: largestHeaderBytes },
    clientErrorHandler: answerUnreadable,
    forceCloseConnections: true,
    // The refusal while stopping also replies in the shape of the route.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 4096 },
    // Fastify answers a URL that it cannot decode before our hooks run.
    rewriteUrl: ({ url = "/" }) => (isDecodable(url) ? url : url.replaceAll("%", "%25")),
  });
  allowHalfClosed(app.server);
  app.server.on("request", (request, response) => watchHalfClosed(request, response));
  // Hooks run in this order.
  validateBodies(app);
  replyWithErrors(app, dependencies.log);
  countRequests(app, dependencies.metrics);
  refuseSlowBodies(app, limits.bodyRate);
  unpackBodies(app, limits.bodyBytes);
  readJsonBodies(app);
  recordRequests(app, dependencies);
  traceRequests(app, dependencies);
  refuseWhileStopping(app, dependencies.stopping);
  limitSizes(app, limits.imageBytes);
  await guardOrigins(app, dependencies, isLoopbackBound);
  requireKeys(app, dependencies);
  fetchRemoteImages(app, {
    isAllowed: dependencies.images.fetchesRemote,
    largestBytes: limits.imageBytes,
  });
  warnOfUnknownFields(app, dependencies);
  await describeApi(app, dependencies.version);
  await app.register(statusRoutes, { dependencies });
  await app.register(nativeRoutes, { prefix: "/api", dependencies });
  await app.register(storeRoutes, { prefix: "/api", dependencies });
  await app.register(openAiRoutes, { prefix: "/v1", dependencies });
  await app.register(anthropicRoutes, { prefix: "/v1", dependencies });
  await app.register(applyTemplateRoutes, { dependencies });
  return app;
}

function securely(certificate: CertificatePair): FastifyServerFactory {
  const options = { ...certificate, maxHeaderSize: largestHeaderBytes };
  return (handler) => {
    const server = loadHttps().createServer(options, handler);
    // Fastify sets them on its own servers alone: Node would cut off an upload after five minutes.
    server.requestTimeout = 0;
    server.keepAliveTimeout = keepAliveMs;
    onPlainHttp(server, answerUnreadable);
    return server;
  };
}

/** Fastify's own. */
const keepAliveMs = 72_000;

/** Finishes running requests while the server stops, and refuses new ones. */
function refuseWhileStopping(app: FastifyInstance, stopping: AbortSignal): void {
  app.addHook("onRequest", async (_request, reply) => {
    if (!stopping.aborted) return;
    reply.header("connection", "close");
    throw new ProductError(engineErrors.shuttingDown, {
      message: "The server is shutting down and accepts no new requests.",
      hint: "Start it again with modelctl serve.",
      retryAfterSeconds: 5,
    });
  });
}

function isDecodable(url: string): boolean {
  try {
    // The bundler drops a call whose result is not used.
    return decodeURIComponent(url) !== "";
  } catch {
    return false; // a stray percent sign stands for itself
  }
}
