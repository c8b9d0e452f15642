// Vectors, tokens and the list of loaded models over the native API.
import { Ollama } from "ollama";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isProof } from "../support/proof.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

let server: TestServer;
let client: Ollama;

beforeAll(async () => {
  server = await TestServer.start({ num_parallel: 1 });
  client = new Ollama({ host: server.url });
});
afterAll(async () => await server.close());

const model = "tiny";
const lengthOf = (vector: readonly number[]) => Math.hypot(...vector);
const isLoaded = async () => (await server.loaded()).length > 0;
const unload = async () => {
  await server.post("/api/generate", { model, keep_alive: 0 });
  await until(isLoaded, (loaded) => !loaded);
};

describe("/api/embed", () => {
  test("returns vectors of length 1 in order, with counts and times", async () => {
    const reply = await client.embed({ model, input: ["a dog", "7", "a dog"] });
    expect(reply.embeddings).toHaveLength(3);
    const [first = [], second = [], third = []] = reply.embeddings;
    expect(first).toHaveLength(128);
    expect(lengthOf(first)).toBeCloseTo(1, 6);
    expect(lengthOf(second)).toBeCloseTo(1, 6);
    expect(third).toEqual(first);
    expect(second).not.toEqual(first);
    expect(reply.model).toBe(model);
    const lone = await client.embed({ model, input: "a dog" });
    expect(lone.embeddings).toEqual([first]);
    expect(lone.prompt_eval_count).toBeGreaterThan(0);
    expect(reply.prompt_eval_count).toBeGreaterThan(lone.prompt_eval_count);
    expect(Number.isSafeInteger(reply.total_duration)).toBe(true);
    expect(reply.total_duration).toBeGreaterThanOrEqual(reply.load_duration);
  });

  test.each(["", [], undefined])("%j loads the model and gives no vectors", async (input) => {
    if (input === "" || isProof) await unload();
    const { status, json } = await server.post("/api/embed", { model, input });
    expect(status).toBe(200);
    expect(json).toMatchObject({ model, embeddings: [] });
    expect(json).not.toHaveProperty("prompt_eval_count");
    expect(await isLoaded()).toBe(true);
  });

  test("accepts an empty text among others", async () => {
    const { embeddings } = await client.embed({ model, input: ["", "a"] });
    expect(embeddings.map(lengthOf)).toEqual([expect.closeTo(1), expect.closeTo(1)]);
  });

  test("shortens vectors on request and normalises them again", async () => {
    const [whole = []] = (await client.embed({ model, input: "a dog" })).embeddings;
    const [cut = []] = (await client.embed({ model, input: "a dog", dimensions: 16 })).embeddings;
    expect(cut).toHaveLength(16);
    expect(lengthOf(cut)).toBeCloseTo(1, 6);
    const scale = lengthOf(whole.slice(0, 16));
    expect(cut.map((value) => value * scale)).toEqual(
      whole.slice(0, 16).map((value) => expect.closeTo(value)),
    );
    for (const dimensions of [0, 128, 4096]) {
      const { embeddings } = await client.embed({ model, input: "a dog", dimensions });
      expect(embeddings).toEqual([whole]);
    }
  });

  test("refuses a text that is too long, and truncates it on request", async () => {
    const input = ["short", "word ".repeat(5000)];
    for (const truncate of [undefined, false]) {
      const { status, json } = await server.post("/api/embed", { model, input, truncate });
      expect(status).toBe(400);
      expect(json).toMatchObject({
        error: expect.stringMatching(/^the input length exceeds the context length: .*\d+ .*4096/),
      });
    }
    const options = { num_ctx: 256 };
    const cut = await client.embed({ model, input, truncate: true, options });
    expect(cut.embeddings).toHaveLength(2);
    expect(cut.prompt_eval_count).toBeGreaterThan(256);
    expect(cut.prompt_eval_count).toBeLessThan(256 + 20);
  });

  test("num_ctx of the request limits the length of each text", async () => {
    const input = "What is the capital of France?";
    const embed = async (num_ctx: number, truncate?: boolean) =>
      await server.post("/api/embed", { model, input, truncate, options: { num_ctx } });
    const whole = await client.embed({ model, input });
    const { prompt_eval_count: length } = whole;
    expect((await embed(length)).json).toMatchObject({ prompt_eval_count: length });
    expect((await embed(length - 1, true)).json).toMatchObject({ prompt_eval_count: length - 1 });
    const options = { num_ctx: 2 };
    const cut = await client.embed({ model, input, truncate: true, options });
    expect(cut.prompt_eval_count).toBe(2);
    expect(cut.embeddings).not.toEqual(whole.embeddings);
    for (const truncate of [undefined, false]) {
      const { status, json } = await embed(3, truncate);
      expect(status).toBe(400);
      expect(json).toMatchObject({
        error: expect.stringMatching(/^the input length exceeds the context length: .* allows 3\./),
      });
    }
    const nothing = await embed(0, true);
    expect(nothing.status).toBe(400);
    expect(nothing.json).toMatchObject({
      error: expect.stringMatching(/^input after truncation exceeds maximum context length/),
    });
  });

  test("num_ctx of embeddings does not change the window of answers", async () => {
    await unload();
    await client.embed({ model, input: "a", options: { num_ctx: 256 } });
    const [{ context_length = 0 } = {}] = await server.loaded();
    expect(context_length).toBeGreaterThan(256);
  });

  test.each([1, true, {}, [1], ["a", null], [["a"]]])("%j is not a valid input", async (input) => {
    const { status, json } = await server.post("/api/embed", { model, input });
    expect(status).toBe(400);
    expect(json).toMatchObject({ error: expect.stringMatching(/^invalid input type/) });
  });

  test("accepts keep_alive", async () => {
    await client.embed({ model, input: "a", keep_alive: "3h" });
    const [{ expires_at = "" } = {}] = await server.loaded();
    expect(Date.parse(expires_at) - Date.now()).toBeGreaterThan(7_200_000);
    await client.embed({ model, input: "a", keep_alive: 0 });
    await until(isLoaded, (loaded) => !loaded);
  });

  test("is recorded in the request log", async () => {
    const { prompt_eval_count } = await client.embed({ model, input: "a dog" });
    const [last] = (await server.requests()).slice(-1);
    expect(last).toMatchObject({ path: "/api/embed", model, promptTokens: prompt_eval_count });
  });
});

describe("/api/embeddings", () => {
  test("returns one vector exactly as the model made it", async () => {
    const reply = await client.embeddings({ model, prompt: "a dog" });
    expect(Object.keys(reply)).toEqual(["embedding"]);
    const length = lengthOf(reply.embedding);
    expect(Math.abs(length - 1)).toBeGreaterThan(0.01);
    const [unit = []] = (await client.embed({ model, input: "a dog" })).embeddings;
    expect(reply.embedding.map((value) => value / length)).toEqual(
      unit.map((value) => expect.closeTo(value)),
    );
  });

  test.each(["", undefined])("%j returns an empty vector", async (prompt) => {
    const { status, json } = await server.post("/api/embeddings", { model, prompt });
    expect([status, json]).toEqual([200, { embedding: [] }]);
  });
});

describe("tokens", () => {
  const tokensOf = async (body: Record<string, unknown>) => {
    const { status, json } = await server.post("/api/tokenize", { model, ...body });
    expect([status, json]).toEqual([200, { tokens: expect.any(Array), model }]);
    return (json as { tokens: number[] }).tokens;
  };

  test.each(["Hello!", "", " two  blanks ", "日本 😀\n", "<|im_end|>", "a\u0000b"])(
    "of %j convert back to the text",
    async (content) => {
      const tokens = await tokensOf({ content });
      const { json } = await server.post("/api/detokenize", { model, tokens });
      expect(json).toEqual({ content });
    },
  );

  test("in plain text never become control tokens", async () => {
    expect((await tokensOf({ content: "<|im_end|>" })).length).toBeGreaterThan(1);
    expect((await server.post("/api/detokenize", { model, tokens: [7] })).json).toEqual({
      content: "<|im_end|>",
    });
  });

  test("start with the BOS token on request", async () => {
    const plain = await tokensOf({ prompt: "Hello!" });
    expect(await tokensOf({ content: "Hello!", add_special: false })).toEqual(plain);
    expect(await tokensOf({ content: "Hello!", add_special: true })).toEqual([1, ...plain]);
    expect(await tokensOf({ content: "" })).toEqual([]);
  });

  test("are as many as in a raw prompt of the same text", async () => {
    const prompt = "What is the capital of France?";
    const { prompt_eval_count } = await client.generate({
      model,
      prompt,
      raw: true,
      options: { num_predict: 1 },
    });
    expect(await tokensOf({ prompt, add_special: true })).toHaveLength(prompt_eval_count);
  });

  test("are counted for a model that is not loaded", async () => {
    await unload();
    expect(await tokensOf({ content: "2" })).toHaveLength(1);
    expect(await isLoaded()).toBe(true);
  });

  test.each([-1, 786, 2 ** 31, 2 ** 53, 1e300])("%d is not a token", async (token) => {
    const { status, json } = await server.post("/api/detokenize", { model, tokens: [1, token] });
    expect(status).toBe(400);
    expect(json).toMatchObject({ error: expect.stringContaining(`Token ${token} does not exist`) });
  });

  test("need a text or a token list", async () => {
    const nothing = await server.post("/api/tokenize", { model });
    expect([nothing.status, nothing.json]).toEqual([
      400,
      expect.objectContaining({ error: "content is required" }),
    ]);
    expect((await server.post("/api/detokenize", { model })).status).toBe(400);
  });
});

describe("/api/ps", () => {
  test("has Ollama's fields and the options of the load", async () => {
    await client.generate({ model, prompt: "", options: { num_ctx: 512 }, keep_alive: "10m" });
    const { models } = await client.ps();
    expect(models).toEqual([
      expect.objectContaining({
        name: "tiny:latest",
        model: "tiny:latest",
        size: expect.any(Number),
        size_vram: 0,
        digest: expect.stringMatching(/^[0-9a-f]{64}$/),
        details: {
          parent_model: "",
          format: "gguf",
          family: "llama",
          families: ["llama"],
          parameter_size: "954K",
          quantization_level: "F16",
          context_length: 4096,
          embedding_length: 128,
        },
        context_length: expect.any(Number),
        state: "idle",
        load_progress: 1,
        requests: { running: 0, waiting: 0 },
        load_options: expect.objectContaining({ num_gpu: -1, use_mmap: true }),
      }),
    ]);
    const [{ expires_at } = { expires_at: "" }] = models;
    // RFC 3339 with fractions and the server's own offset.
    expect(String(expires_at)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+(Z|[+-]\d\d:\d\d)$/);
    const aheadMs = Date.parse(String(expires_at)) - Date.now();
    expect(aheadMs).toBeGreaterThan(540_000);
    expect(aheadMs).toBeLessThanOrEqual(600_000);
  });

  test("shows the progress of a loading model", async () => {
    await unload();
    const body = JSON.stringify({ model, progress: true });
    // The first record comes when the load begins, which takes far longer than the next request.
    const reply = await fetch(`${server.url}/api/generate`, { method: "POST", body });
    const { json } = await server.send("/api/ps");
    expect(json).toMatchObject({
      models: [
        {
          name: "tiny:latest",
          state: "loading",
          load_progress: expect.any(Number),
          requests: { running: 0, waiting: 1 },
        },
      ],
    });
    await reply.text();
  });

  test("shows running and queued requests", async () => {
    await client.generate({ model, prompt: "" });
    const controller = new AbortController();
    const body = JSON.stringify({
      model,
      messages: [{ role: "user", content: "Hi" }],
      ignore_eos: true,
    });
    const { signal } = controller;
    const asked = [1, 2, 3].map(() =>
      server.send("/v1/chat/completions", { method: "POST", body, signal }).catch(() => {}),
    );
    const states = async () =>
      ((await server.send("/api/ps")).json as { models: unknown[] }).models;
    await until(
      async () => JSON.stringify(await states()),
      (text) => text.includes('"requests":{"running":1,"waiting":2}') && text.includes('"busy"'),
    );
    controller.abort();
    await Promise.all(asked);
    await server.untilQuiet();
  });
});
