// A full queue: further requests get a retry time at once, in each API's shape.
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestServer } from "../support/test-server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({ num_parallel: 1, max_queue: 1, context_length: 512 });
  await server.ask("What is the capital of France?");
});
afterAll(async () => await server.close());

const messages = [{ role: "user", content: "Write a long story." }];
const native = { model: "tiny", messages, stream: false };
const openai = { ...native, ignore_eos: true };

test.each([
  ["/api/chat", native, { error: expect.stringMatching(/^server busy, please try again\./) }],
  [
    "/v1/chat/completions",
    openai,
    { error: expect.objectContaining({ type: "api_error", code: "ENGINE_QUEUE_FULL" }) },
  ],
])("%s", async (path, body, shape) => {
  const replies = await Promise.all([
    ...Array.from({ length: 6 }, () => server.post("/v1/chat/completions", openai)),
    ...Array.from({ length: 3 }, () => server.post(path, body)),
  ]);
  const refused = replies.filter(({ status }) => status !== 200);
  expect(refused.length).toBeGreaterThan(0);
  expect(replies.length - refused.length).toBeGreaterThanOrEqual(2);
  for (const { status, headers } of refused) {
    expect([status, Number(headers.get("retry-after"))]).toEqual([503, 5]);
  }
  expect(refused.map(({ json }) => json)).toContainEqual(expect.objectContaining(shape));
});
