// POST /v1/audio/transcriptions: known to clients, not supported here.
import type { FastifyInstance } from "fastify";
import { ProductError } from "../../../base/product-error.ts";
import { serverErrors } from "../../errors.ts";

export function registerTranscriptions(app: FastifyInstance): void {
  app.post("/v1/audio/transcriptions", async (_request, reply) => {
    // OpenAI's libraries retry 5xx replies unless told not to.
    reply.header("x-should-retry", "false");
    throw new ProductError(serverErrors.routeUnavailable, {
      message: "Audio is not transcribed: this server runs language models.",
    });
  });
}
