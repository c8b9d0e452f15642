// Builds the HTTP server: cross-cutting plugins first, then the routes of both APIs.
import Fastify, { type FastifyInstance } from "fastify";
import { allowHalfClosed, watchHalfClosed } from "../base/http-connection.ts";
import type { ServerDependencies } from "./dependencies.ts";
import { compileSchemasLate } from "./lazy-schemas.ts";
import { describeApi } from "./openapi/describe-api.ts";
import { trackCancellations } from "./plugins/cancellations.ts";
import { unpackBodies } from "./plugins/encoded-bodies.ts";
import { replyWithErrors } from "./plugins/error-replies.ts";
import { readJsonBodies } from "./plugins/json-body.ts";
import { guardOrigins } from "./plugins/origin-and-host.ts";
import { fetchRemoteImages } from "./plugins/remote-images.ts";
import { recordBodies } from "./plugins/request-bodies.ts";
import { countRequests } from "./plugins/request-metrics.ts";
import { recordRequests } from "./plugins/request-records.ts";
import { requireKeys } from "./plugins/require-key.ts";
import { answerUnreadable, largestHeaderBytes, limitSizes } from "./plugins/size-limits.ts";
import { refuseSlowBodies } from "./plugins/slow-bodies.ts";
import { refuseWhileStopping } from "./plugins/stopping.ts";
import { registerCountTokens } from "./routes/anthropic/count-tokens.ts";
import { registerMessages } from "./routes/anthropic/messages.ts";
import { registerCancel } from "./routes/native/cancel.ts";
import { registerChat } from "./routes/native/chat.ts";
import { registerEmbed } from "./routes/native/embed.ts";
import { registerGenerate } from "./routes/native/generate.ts";
import { registerMetrics } from "./routes/native/metrics.ts";
import { registerPs } from "./routes/native/ps.ts";
import { registerRecording } from "./routes/native/recording.ts";
import { registerRequests } from "./routes/native/requests.ts";
import { registerStatus } from "./routes/native/status.ts";
import { registerTokens } from "./routes/native/tokens.ts";
import { registerChatCompletions } from "./routes/openai/chat-completions.ts";
import { registerCompletions } from "./routes/openai/completions.ts";
import { registerEmbeddings } from "./routes/openai/embeddings.ts";
import { registerModels } from "./routes/openai/models.ts";
import { registerResponses } from "./routes/openai/responses/responses.ts";
import { registerTranscriptions } from "./routes/openai/transcriptions.ts";
import { registerStore } from "./routes/store/register-store.ts";

/**
 * @param isLoopbackBound told once the server listens; decides whether Host headers are checked
 */
export async function createServer(
  dependencies: ServerDependencies,
  isLoopbackBound: () => boolean,
): Promise<FastifyInstance> {
  const app = Fastify({
    // Fastify's own logger is off: on stdout it would write into the TUI.
    logger: false,
    bodyLimit: dependencies.limits.bodyBytes,
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
  compileSchemasLate(app);
  replyWithErrors(app, dependencies.log);
  countRequests(app, dependencies.metrics);
  refuseSlowBodies(app, dependencies.limits.bodyRate);
  unpackBodies(app, dependencies.limits.bodyBytes);
  readJsonBodies(app);
  recordRequests(app, dependencies.requestLog);
  trackCancellations(app);
  refuseWhileStopping(app, dependencies.stopping);
  limitSizes(app, dependencies.limits.imageBytes);
  await guardOrigins(app, dependencies, isLoopbackBound);
  requireKeys(app, dependencies);
  recordBodies(app, dependencies.transcripts);
  fetchRemoteImages(app, {
    isAllowed: dependencies.images.fetchesRemote,
    largestBytes: dependencies.limits.imageBytes,
  });
  await describeApi(app, dependencies.version);
  registerStatus(app, dependencies);
  registerRequests(app, dependencies);
  registerRecording(app, dependencies);
  registerMetrics(app, dependencies);
  registerGenerate(app, dependencies);
  registerChat(app, dependencies);
  registerEmbed(app, dependencies);
  registerTokens(app, dependencies);
  registerPs(app, dependencies);
  registerCancel(app, dependencies);
  registerStore(app, dependencies);
  registerModels(app, dependencies);
  registerChatCompletions(app, dependencies);
  registerResponses(app, dependencies);
  registerMessages(app, dependencies);
  registerCountTokens(app, dependencies);
  registerCompletions(app, dependencies);
  registerEmbeddings(app, dependencies);
  registerTranscriptions(app);
  return app;
}

function isDecodable(url: string): boolean {
  try {
    decodeURIComponent(url);
    return true;
  } catch {
    return false; // a stray percent sign stands for itself
  }
}
