// Ends requests whose bodies arrive too slowly: each holds a connection, and some a file.
import type { FastifyInstance } from "fastify";
import { type MinimumRate, usualRate, watchBodyRate } from "../../base/body-rate.ts";
import { formatBytes } from "../../base/formats.ts";
import { ProductError } from "../../base/product-error.ts";
import { serverErrors } from "../errors.ts";

export function refuseSlowBodies(app: FastifyInstance, rate: MinimumRate = usualRate): void {
  app.addHook("onRequest", async ({ raw }, reply) => {
    watchBodyRate(raw, rate, () => {
      if (reply.sent) {
        raw.destroy();
        return;
      }
      // Node drops the body after a reply; a reader of it would wait forever.
      reply.raw.once("close", () => raw.destroy());
      reply.header("connection", "close").send(tooSlow(rate));
    });
  });
}

function tooSlow({ bytes, windowMs }: MinimumRate): ProductError {
  return new ProductError(serverErrors.requestTooSlow, {
    message: `The request body arrived too slowly: less than ${formatBytes(bytes)} in ${windowMs / 1000} s.`,
  });
}
