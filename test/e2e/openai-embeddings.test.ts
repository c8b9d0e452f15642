// Embeddings of the OpenAI-compatible API.
import type OpenAI from "openai";
import { beforeAll, describe, expect, test } from "vitest";
import { openaiClient } from "../support/openai-client.ts";
import { sharedServer } from "../support/shared-server.ts";
import type { TestServer } from "../support/test-server.ts";

let server: TestServer;
let client: OpenAI;

beforeAll(async () => {
  server = await sharedServer();
  client = openaiClient(server);
});

const model = "tiny";
const lengthOf = (vector: readonly number[]) => Math.hypot(...vector);

async function vectorsOf(body: Record<string, unknown>): Promise<number[][]> {
  const { json } = await server.post("/v1/embeddings", { model, ...body });
  return (json as OpenAI.CreateEmbeddingResponse).data.map(({ embedding }) => embedding);
}

describe("vectors", () => {
  test("have length 1, one for each text in order", async () => {
    const { status, json } = await server.post("/v1/embeddings", { model, input: ["one", "two"] });
    expect(status).toBe(200);
    expect(json).toEqual({
      object: "list",
      data: [0, 1].map((index) => ({
        object: "embedding",
        index,
        embedding: expect.any(Array),
      })),
      model,
      usage: { prompt_tokens: expect.any(Number), total_tokens: expect.any(Number) },
    });
    const together = await vectorsOf({ input: ["one", "two"] });
    for (const vector of together) expect(lengthOf(vector)).toBeCloseTo(1, 6);
    expect([
      ...(await vectorsOf({ input: "one" })),
      ...(await vectorsOf({ input: "two" })),
    ]).toEqual(together);
    expect(together[0]).not.toEqual(together[1]);
  });

  test("are decoded by the library, which requests base64", async () => {
    const { data, usage } = await client.embeddings.create({ model, input: "What is 2 + 3?" });
    const [plain] = await vectorsOf({ input: "What is 2 + 3?" });
    expect(data[0]?.embedding).toEqual([...Float32Array.from(plain ?? [])]);
    const asked = client.embeddings.create({
      model,
      input: "What is 2 + 3?",
      encoding_format: "float",
    });
    expect((await asked).data[0]?.embedding).toEqual(plain);
    expect(usage.prompt_tokens).toBeGreaterThan(3);
    expect(usage.total_tokens).toBe(usage.prompt_tokens);
  });

  test("in base64 are little-endian 32-bit floats", async () => {
    const body = { model, input: "Hello!", encoding_format: "base64" };
    const { json } = await server.post("/v1/embeddings", body);
    const { embedding } = (json as { data: Array<{ embedding: string }> }).data[0] ?? {};
    const bytes = Buffer.from(embedding ?? "", "base64");
    const [plain] = await vectorsOf({ input: "Hello!" });
    expect(bytes).toHaveLength((plain?.length ?? 0) * 4);
    expect(plain?.map((_, index) => bytes.readFloatLE(index * 4))).toEqual(plain?.map(Math.fround));
  });

  test("are shortened to the requested dimensions and normalised", async () => {
    const [whole = []] = await vectorsOf({ input: "Hello!" });
    const [short = []] = await vectorsOf({ input: "Hello!", dimensions: 8 });
    expect(short).toHaveLength(8);
    expect(lengthOf(short)).toBeCloseTo(1, 6);
    const ratio = (whole[0] ?? 0) / (short[0] ?? 1);
    for (const [index, value] of short.entries()) {
      expect(value * ratio).toBeCloseTo(whole[index] ?? Number.NaN, 6);
    }
  });

  test("count the tokens of all texts", async () => {
    const tokensOf = async (input: string | string[]) =>
      (await client.embeddings.create({ model, input })).usage.prompt_tokens;
    const [one, two] = [await tokensOf("Hello!"), await tokensOf("What is 2 + 3?")];
    expect(await tokensOf(["Hello!", "What is 2 + 3?"])).toBe(one + two);
  });

  test("of a text that is too long are refused, or made from its beginning on request", async () => {
    const refused = await server.post("/v1/embeddings", { model, input: "word ".repeat(6000) });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain("the input length exceeds the context length");
    const body = { model, input: "What is the capital?", options: { num_ctx: 3 } };
    expect((await server.post("/v1/embeddings", body)).json).toMatchObject({
      error: {
        code: "context_length_exceeded",
        message: expect.stringContaining("num_ctx allows 3"),
      },
    });
    expect((await server.post("/v1/embeddings", { ...body, truncate: true })).json).toMatchObject({
      data: [{ embedding: expect.any(Array) }],
      usage: { prompt_tokens: 3 },
    });
  });
});

test("token ids stand for their text", async () => {
  const tokensOf = async (content: string) => {
    const { json } = await server.post("/api/tokenize", { model, content, add_special: true });
    return (json as { tokens: number[] }).tokens;
  };
  const [one, two] = [await tokensOf("The capital"), await tokensOf("of France")];
  const texts = await vectorsOf({ input: ["The capital", "of France"] });
  expect(await vectorsOf({ input: [one, two] })).toEqual(texts);
  expect(await vectorsOf({ input: one })).toEqual(texts.slice(0, 1));
});

test("an empty text has a vector", async () => {
  expect(await vectorsOf({ input: "" })).toHaveLength(1);
  expect(await vectorsOf({ input: ["a", ""] })).toHaveLength(2);
});

describe("invalid requests", () => {
  test.each<[string, Record<string, unknown>, string, RegExp]>([
    ["no input", {}, "input", /invalid input/],
    ["null", { input: null }, "input", /invalid input/],
    ["an empty list", { input: [] }, "input", /invalid input/],
    ["a wrong item", { input: ["a", null] }, "input.1", /invalid input/],
    ["no token", { input: [1, 2.5, 3] }, "input.1", /token of the model/],
    ["a token of another model", { input: [[1, 2], [999_999]] }, "input.1.0", /from 0 to/],
    ["a text among tokens", { input: [1, "a"] }, "input.1", /token of the model/],
    ["a number", { input: 1 }, "input", /./],
    ["an unknown encoding", { input: "a", encoding_format: "hex" }, "encoding_format", /base64/],
    ["no dimensions at all", { input: "a", dimensions: 0 }, "dimensions", /./],
    ["more dimensions than there are", { input: "a", dimensions: 129 }, "dimensions", /128/],
  ])("refuse %s", async (_what, body, param, says) => {
    const { status, json } = await server.post("/v1/embeddings", { model, ...body });
    expect(status).toBe(400);
    expect(json).toEqual({
      error: {
        message: expect.stringMatching(says),
        type: "invalid_request_error",
        param,
        code: expect.stringMatching(/^SERVER_FIELD_/),
      },
    });
  });
});
