// Loaded models: one for a file, whatever path leads to it; others leave for it with a warning, and
// windows that a model does not have are reported.
import { linkSync, symlinkSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { RequestRecord } from "../../source/request-log/request-record.ts";
import { parseLines } from "../support/ndjson.ts";
import { StoreServer } from "../support/store-server.ts";
import { until } from "../support/until.ts";

let store: StoreServer;

beforeAll(async () => {
  store = await StoreServer.start({ max_loaded_models: 2 });
});

afterAll(async () => {
  await store.close();
});

beforeEach(async () => {
  for (const { name } of await store.server.loaded()) {
    await store.server.post("/api/generate", { model: name, keep_alive: 0 });
  }
  await until(
    () => store.server.loaded(),
    (loaded) => loaded.length === 0,
  );
});

const headerOf = (reply: { headers: Headers }) => reply.headers.get("x-modelctl-warning");

async function recordOf(reply: { headers: Headers }): Promise<RequestRecord | undefined> {
  const id = reply.headers.get("x-request-id");
  return (await store.server.requests()).find((record) => record.id === id);
}

test("a model created from a link, the link and the linked file are one loaded model", async () => {
  const { server } = store;
  const file = store.tinyAt("qwen05.gguf");
  const symbolic = store.at("symbolic.gguf");
  const hard = store.at("hard.gguf");
  symlinkSync(file, symbolic);
  linkSync(file, hard);
  const body = { model: "qwen05", from: symbolic, stream: false };
  expect((await server.post("/api/create", body)).status).toBe(200);
  const names = ["qwen05", file, symbolic, hard];
  for (const model of names) expect(await server.ask("What is 2 + 3?", model)).toBe("2 + 3 = 5");
  const loaded = await server.loaded();
  expect(loaded).toHaveLength(1);
  expect(loaded[0]?.names).toEqual(["qwen05:latest", file, symbolic, hard]);
  for (const model of names) {
    const { json } = await server.send(`/v1/models/${encodeURIComponent(model)}`);
    expect(json).toMatchObject({ loaded_as: "qwen05:latest" });
  }
  // Either path unloads it.
  await server.post("/api/generate", { model: hard, keep_alive: 0 });
  await until(
    () => server.loaded(),
    (left) => left.length === 0,
  );
});

describe("a model that is unloaded for another one", () => {
  /** Loads two models, all that may be, and lets the third have the room of the first. */
  async function evict(path: string, body: Record<string, unknown>) {
    const { server } = store;
    const names = ["one.gguf", "two.gguf", "three.gguf"].map((name) => store.tinyAt(name));
    for (const model of names.slice(0, 2)) await server.ask("Hello!", model);
    const reply = await server.post(path, { model: names[2], ...body });
    expect(reply.status).toBe(200);
    const sentence = `Unloaded ${names[0]}: ${names[2]} needs the room, and it was used least recently.`;
    return { reply, sentence };
  }

  const messages = [{ role: "user", content: "Hello!" }];
  test.each([
    ["/api/generate", { prompt: "Hello!", stream: false }],
    ["/api/chat", { messages }],
    ["/api/embed", { input: "Hello!" }],
    ["/api/tokenize", { content: "Hello!" }],
    ["/v1/chat/completions", { messages, stream: true }],
    ["/v1/messages", { messages, max_tokens: 1 }],
    ["/v1/messages/count_tokens", { messages }],
    ["/v1/responses", { input: "Hello!", stream: true }],
    ["/v1/embeddings", { input: "Hello!" }],
  ])("is named in the reply of %s, the log and the record", async (path, body) => {
    const { reply, sentence } = await evict(path, body);
    expect(headerOf(reply)).toBe(sentence);
    const record = await recordOf(reply);
    expect(record?.warnings).toEqual([sentence]);
    expect(store.server.log).toContain(`${record?.id}: ${sentence}`);
  });

  test("is named in a record of a stream with progress", async () => {
    const { reply, sentence } = await evict("/api/generate", { prompt: "Hello!", progress: true });
    const records = parseLines(reply.text);
    expect(records).toContainEqual(
      expect.objectContaining({ status: "warning", kind: "evicted", warning: sentence }),
    );
    expect(records.at(-1)).toMatchObject({ done: true });
  });
});

describe("num_ctx", () => {
  test.each([
    [999_999, 4096, "num_ctx 999999 is more than tiny supports: using its limit of 4096 tokens."],
    [10, 256, "num_ctx 10 is too small: using the smallest window, 256 tokens."],
  ])("%i becomes %i with a warning", async (num_ctx, window, sentence) => {
    const { server } = store;
    for (const stream of [true, false]) {
      const body = { model: "tiny", prompt: "Hello!", options: { num_ctx }, stream };
      const reply = await server.post("/api/generate", body);
      expect(reply.status).toBe(200);
      expect(headerOf(reply)).toBe(sentence);
      expect((await recordOf(reply))?.warnings).toEqual([sentence]);
    }
    expect((await server.loaded())[0]?.context_length).toBe(window);
  });

  test.each([256, 4096, 0, -1])("%i is used without one", async (num_ctx) => {
    const body = { model: "tiny", prompt: "Hello!", options: { num_ctx }, stream: false };
    expect(headerOf(await store.server.post("/api/generate", body))).toBeNull();
  });
});
