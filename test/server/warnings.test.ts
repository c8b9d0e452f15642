// Warnings of a request: in a header, the server's log and the request's record.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TestServer } from "../support/test-server.ts";

let server: TestServer;

beforeAll(async () => {
  server = await TestServer.start();
});

afterAll(async () => {
  await server.close();
});

const messages = [{ role: "user", content: "hi" }];
const options = { temprature: 0, num_predict: 1 };
const sentence = 'Ignored option: "temprature" (did you mean temperature?).';

describe("an unknown option", () => {
  test.each([
    ["/api/chat", { messages, stream: false }],
    ["/api/chat", { messages }],
    ["/api/generate", { prompt: "hi" }],
    ["/api/embed", { input: "hi" }],
    ["/api/show", {}],
    ["/v1/chat/completions", { messages }],
    ["/v1/chat/completions", { messages, stream: true }],
    ["/v1/completions", { prompt: "hi", stream: true }],
    ["/v1/embeddings", { input: "hi" }],
    ["/v1/messages", { messages, max_tokens: 1, stream: true }],
    ["/v1/messages/count_tokens", { messages }],
    ["/v1/responses", { input: "hi", stream: true, options }],
  ])("of %s is answered with a warning in header, log and record", async (path, body) => {
    const { status, headers } = await server.post(path, { model: "tiny", options, ...body });
    expect(status).toBe(200);
    expect(headers.get("x-modelctl-warning")).toBe(sentence);
    const id = headers.get("x-request-id");
    expect(server.log).toContain(`${id}: ${sentence}`);
    const record = (await server.requests()).find((one) => one.id === id);
    expect(record?.warnings).toEqual([sentence]);
  });

  test("is said once for all choices, and in ASCII where the header allows no more", async () => {
    const { status, headers } = await server.post("/v1/chat/completions", {
      model: "tiny",
      messages,
      n: 2,
      options: { "größe\u0007": 1, num_predict: 1 },
    });
    expect(status).toBe(200);
    expect(headers.get("x-modelctl-warning")).toBe('Ignored option: "gr??e\\u0007" (unknown).');
    const record = (await server.requests()).at(-1);
    expect(record?.warnings).toEqual(['Ignored option: "größe\\u0007" (unknown).']);
  });
});

test.each([
  ["/api/generate", { prompt: "hi", options: { num_predict: 1 } }, "options.temperature"],
  ["/api/chat", { messages, options: { num_predict: 1 } }, "options.temperature"],
  ["/v1/chat/completions", { messages, max_tokens: 1 }, "temperature"],
  ["/v1/responses", { input: "hi", max_output_tokens: 1 }, "temperature"],
  ["/v1/messages", { messages, max_tokens: 1 }, "temperature"],
])(
  "unknown fields of %s are answered with a warning and its advice",
  async (path, body, nearest) => {
    const request = { model: "tiny", stream: false, ...body, num_keep: 2, tempratur: 1, x: {} };
    const { status, headers } = await server.post(path, request);
    expect(status).toBe(200);
    expect(headers.get("x-modelctl-warning")).toBe(
      `Ignored fields: "num_keep" (put it into options), "tempratur" (did you mean ${nearest}?), "x" (unknown).`,
    );
  },
);

test("requests are found by a word of their warnings", async () => {
  await server.post("/api/generate", { model: "tiny", prompt: "hi", options });
  await server.post("/api/generate", { model: "tiny", prompt: "hi", options: { num_predict: 1 } });
  const { json } = await server.send(`/api/requests?filter=${encodeURIComponent("temprature")}`);
  const { requests } = json as { requests: Array<{ warnings?: string[] }> };
  expect(requests.length).toBeGreaterThan(0);
  for (const { warnings } of requests) expect(warnings).toContain(sentence);
});
