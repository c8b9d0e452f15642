// A silent stream sends comments, which its readers skip.
import Fastify, { type FastifyInstance } from "fastify";
import OpenAI from "openai";
import { afterEach, expect, test } from "vitest";
import { ProductError } from "../../../../source/base/product-error.ts";
import { engineErrors } from "../../../../source/engine/errors.ts";
import { ChatDeltas } from "../../../../source/server/routes/openai/chat-choice.ts";
import type { RunChoices } from "../../../../source/server/routes/openai/run-choices.ts";
import { streamChoices } from "../../../../source/server/routes/openai/stream-choices.ts";
import { clientSignal } from "../../../../source/server/run-request.ts";

let app: FastifyInstance;
afterEach(async () => await app.close());

/** A server whose streams are silent until `waiting` is settled. */
async function silentUntil(waiting: Promise<void>): Promise<string> {
  app = Fastify();
  app.post("/v1/chat/completions", async (_request, reply) => {
    const choice = new ChatDeltas(0);
    const run: RunChoices = async (take) => {
      await waiting;
      await take({ type: "text", text: "Hello!", tokens: 1 }, 0);
    };
    return await streamChoices(reply, clientSignal(reply), run, {
      head: {},
      chunksOf: (event) => choice.take(event),
      usage: undefined,
      silenceMs: 1,
    });
  });
  return await app.listen({ host: "127.0.0.1", port: 0 });
}

test("comments come before the first event, and a later error is an event", async () => {
  const waiting = Promise.withResolvers<void>();
  const url = await silentUntil(waiting.promise);
  const reply = await fetch(`${url}/v1/chat/completions`, { method: "POST" });
  expect(reply.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  const reader = reply.body?.pipeThrough(new TextDecoderStream()).getReader();
  expect((await reader?.read())?.value).toMatch(/^(: keep-alive\n\n)+$/);
  waiting.reject(new ProductError(engineErrors.loadFailed, { message: "No room." }));
  let rest = "";
  for (let piece = await reader?.read(); piece?.value; piece = await reader?.read()) {
    rest += piece.value;
  }
  expect(rest).toMatch(/^(: keep-alive\n\n)*data: \{"error":\{"message":"No room\..*\}\}\n\n$/);
});

test("OpenAI's client ignores comments", async () => {
  const waiting = Promise.withResolvers<void>();
  const client = new OpenAI({ baseURL: `${await silentUntil(waiting.promise)}/v1`, apiKey: "any" });
  // The first comment already answers its call.
  const stream = await client.chat.completions.create({ model: "m", messages: [], stream: true });
  waiting.resolve();
  const texts: unknown[] = [];
  for await (const { choices } of stream) texts.push(choices[0]?.delta.content);
  expect(texts).toEqual(["Hello!"]);
});
