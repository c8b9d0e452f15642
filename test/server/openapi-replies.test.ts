// Replies of all routes match the OpenAPI document; streamed ones piece by piece.
import type { TSchema } from "typebox";
import { Value } from "typebox/value";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operations } from "../../source/server/openapi/describe-api.ts";
import { errorSchema, replies } from "../../source/server/openapi/replies.ts";
import { type LoopbackHub, startLoopbackHub } from "../support/loopback-hub.ts";
import { parseLines } from "../support/ndjson.ts";
import { StoreServer } from "../support/store-server.ts";
import { numberedTiny } from "../support/tiny-variants.ts";

let hub: LoopbackHub;
let store: StoreServer;
beforeAll(async () => {
  hub = await startLoopbackHub({
    repositories: {
      "maker/tiny": {
        files: { "README.md": Buffer.from("# Tiny"), "tiny-Q8_0.gguf": numberedTiny(2) },
        facts: { downloads: 3, gguf: { total: 954_000, architecture: "llama" } },
      },
    },
  });
  store = await StoreServer.start({ hub_endpoint: hub.url });
});
afterAll(async () => {
  await store.close();
  await hub.close();
});

const model = "tiny";
const messages = [{ role: "user", content: "What is the capital of France?" }];
const prompt = "What is 2 + 3?";

/** A body where there is one; the path where it differs from the pattern. */
interface Question {
  key: string;
  body?: Record<string, unknown>;
  path?: string;
}

const whole: Question[] = [
  { key: "GET /health" },
  { key: "GET /api/version" },
  { key: "POST /api/generate", body: { model, prompt, stream: false, logprobs: true } },
  { key: "POST /api/chat", body: { model, messages, stream: false } },
  { key: "POST /api/chat", body: { model, messages, _debug_render_only: true } },
  { key: "POST /api/embed", body: { model, input: ["a", "b"] } },
  { key: "POST /api/embeddings", body: { model, prompt } },
  { key: "POST /api/tokenize", body: { model, content: prompt } },
  { key: "POST /api/detokenize", body: { model, tokens: [1, 2] } },
  { key: "GET /api/ps" },
  { key: "POST /api/create", body: { model: "made", from: model, stream: false } },
  { key: "GET /api/tags" },
  { key: "POST /api/show", body: { model } },
  { key: "DELETE /api/delete", body: { model: "made", dry_run: true } },
  { key: "POST /api/pull", body: { model: "hf.co/maker/tiny", stream: false } },
  { key: "POST /api/push", body: { model } },
  { key: "GET /api/hub/search", path: "/api/hub/search?query=tiny" },
  { key: "GET /api/hub/recommended" },
  { key: "GET /api/hub/repository", path: "/api/hub/repository?name=maker/tiny" },
  { key: "GET /api/hub/card", path: "/api/hub/card?name=maker/tiny" },
  { key: "GET /api/capacity" },
  { key: "POST /v1/chat/completions", body: { model, messages, logprobs: true, n: 2 } },
  { key: "POST /api/apply-template", body: { model, messages } },
  { key: "POST /apply-template", body: { model, messages } },
  { key: "POST /v1/completions", body: { model, prompt, logprobs: 2 } },
  { key: "POST /v1/embeddings", body: { model, input: "a" } },
  { key: "POST /v1/responses", body: { model, input: prompt } },
  { key: "POST /v1/audio/transcriptions", body: { model } },
  { key: "GET /v1/models" },
  { key: "GET /v1/models/*", path: `/v1/models/${model}` },
  { key: "POST /v1/messages", body: { model, messages, max_tokens: 20 } },
  { key: "POST /v1/messages/count_tokens", body: { model, messages } },
  { key: "GET /api/requests" },
  { key: "GET /api/metrics" },
  { key: "GET /openapi.json" },
];

const streamed: Question[] = [
  { key: "POST /api/generate", body: { model, prompt, progress: true } },
  { key: "POST /api/chat", body: { model, messages } },
  { key: "POST /api/create", body: { model: "made", from: model } },
  { key: "POST /api/pull", body: { model: "hf.co/maker/tiny" } },
  { key: "POST /v1/chat/completions", body: { model, messages, stream: true } },
  { key: "POST /v1/completions", body: { model, prompt, stream: true } },
  { key: "POST /v1/responses", body: { model, input: prompt, stream: true } },
  { key: "POST /v1/messages", body: { model, messages, max_tokens: 20, stream: true } },
];

/** Returns the schema's errors about a value, with the value. */
function violations(schema: TSchema, value: unknown): unknown[] {
  return Value.Check(schema, value) ? [] : [...Value.Errors(schema, value), value];
}

async function ask({ key, body, path }: Question) {
  const [method = "", pattern = ""] = key.split(" ");
  return await store.server.send(path ?? pattern, {
    method,
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { "content-type": "application/json" },
    }),
  });
}

function piecesOf(text: string, type: string): unknown[] {
  if (type === "application/x-ndjson") return parseLines(text);
  return text
    .split("\n")
    .filter((line) => line.startsWith("data: ") && line !== "data: [DONE]")
    .map((line) => JSON.parse(line.slice("data: ".length)));
}

describe("a whole reply", () => {
  test.each(whole)("of $key matches its description", async (question) => {
    const { json: schema, status = 200 } = replies[question.key] ?? {};
    const reply = await ask(question);
    expect({ status: reply.status, text: reply.text }).toMatchObject({ status });
    expect(schema).toBeDefined();
    if (schema !== undefined) expect(violations(schema, reply.json)).toEqual([]);
  });

  test("for one request is its record", async () => {
    const { json } = await store.server.send("/api/requests");
    const { requests } = json as { requests: Array<{ id: string }> };
    const one = await store.server.send(`/api/requests/${requests[0]?.id}`);
    const { json: schema } = replies["GET /api/requests/:id"] ?? {};
    if (schema === undefined) throw new Error("it is not described");
    expect(violations(schema, one.json)).toEqual([]);
  });
});

describe("a streamed reply", () => {
  test.each(streamed)("of $key matches its description", async (question) => {
    const { stream } = replies[question.key] ?? {};
    if (stream === undefined) throw new Error("it is not described");
    const reply = await ask(question);
    expect(reply.status).toBe(200);
    expect(reply.headers.get("content-type")).toContain(stream.type);
    const pieces = piecesOf(reply.text, stream.type);
    expect(pieces.length).toBeGreaterThan(1);
    for (const piece of pieces) expect(violations(stream.piece, piece)).toEqual([]);
  });
});

describe("an error", () => {
  test.each([
    { key: "POST /v1/chat/completions", body: {} },
    { key: "POST /v1/messages", body: {} },
    { key: "POST /api/chat", body: { model: "nobody" } },
    { key: "GET /v1/models/*", path: "/v1/models/nobody" },
  ])("of $key matches its description", async (question) => {
    const reply = await ask(question);
    expect(reply.status).toBeGreaterThanOrEqual(400);
    const [, pattern = ""] = question.key.split(" ");
    expect(violations(errorSchema(pattern), reply.json)).toEqual([]);
  });
});

test("every operation describes its reply, and every description is tested or has no body", () => {
  expect(Object.keys(replies).sort()).toEqual(Object.keys(operations).sort());
  const tried = new Set([...whole, ...streamed].map(({ key }) => key));
  const untried = Object.entries(replies).filter(([key]) => !tried.has(key));
  // Plain text, replies without a body, and routes that tests of the request log or of ranks cover.
  expect(untried.map(([key]) => key).sort()).toEqual([
    "GET /",
    "GET /api/requests/:id",
    "GET /metrics",
    "POST /api/answer-now",
    "POST /api/blobs/:digest",
    "POST /api/cancel",
    "POST /api/copy",
    "POST /api/recording",
    "POST /v1/rerank",
  ]);
});

test("the document contains the descriptions", async () => {
  const { json } = await store.server.send("/openapi.json");
  expect(json).toMatchObject({
    paths: {
      "/v1/chat/completions": {
        post: {
          responses: {
            200: {
              content: {
                "application/json": { schema: { properties: { choices: { type: "array" } } } },
                "text/event-stream": { schema: { properties: { choices: { type: "array" } } } },
              },
            },
            default: {
              content: { "application/json": { schema: { properties: { error: {} } } } },
            },
          },
        },
      },
      "/api/capacity": { get: { responses: { 200: { content: { "application/json": {} } } } } },
    },
  });
});
