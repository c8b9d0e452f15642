// A job whose client disconnects ends as cancelled, not as an internal error.
import { once } from "node:events";
import Fastify from "fastify";
import { expect, test } from "vitest";
import { engineErrors } from "../../../../source/engine/errors.ts";
import { replyWithProgress } from "../../../../source/server/routes/store/progress-reply.ts";

test.each([true, false])("stops when its client disconnects, with stream: %s", async (stream) => {
  const begun = Promise.withResolvers<void>();
  const failed = Promise.withResolvers<Error>();
  const app = Fastify();
  app.setErrorHandler((error: Error) => failed.resolve(error));
  app.post("/work", (_request, reply) =>
    replyWithProgress(reply, { stream, holdsFirst: true }, async ({ signal }) => {
      begun.resolve();
      await once(signal, "abort");
      signal.throwIfAborted();
    }),
  );
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  const client = new AbortController();
  const reply = fetch(`${url}/work`, { method: "POST", signal: client.signal });
  await begun.promise;
  client.abort();
  await expect(reply).rejects.toThrow();
  expect(await failed.promise).toMatchObject({ code: engineErrors.cancelled.code });
  await app.close();
});
