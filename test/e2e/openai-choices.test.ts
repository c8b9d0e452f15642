// Several answers to one request, sampling parameters, and truncated conversations.
import type OpenAI from "openai";
import { beforeAll, describe, expect, test } from "vitest";
import { dataOf, failure, openaiClient, user } from "../support/openai-client.ts";
import { sharedServer } from "../support/shared-server.ts";
import type { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

let server: TestServer;
let client: OpenAI;

beforeAll(async () => {
  server = await sharedServer();
  client = openaiClient(server);
});

type Body = Partial<OpenAI.ChatCompletionCreateParamsNonStreaming>;

const model = "tiny";
const capital = "What is the capital of France?";
const wild = { temperature: 2, top_p: 1, max_tokens: 20, options: { top_k: 0 } } as Body;

const create = async (content: string, body: Body = {}) =>
  await client.chat.completions.create({ model, messages: [user(content)], ...body });

const textsOf = ({ choices }: OpenAI.ChatCompletion) =>
  choices.map(({ message }) => message.content);

describe("n", () => {
  test("returns n choices and counts the prompt once", async () => {
    const one = await create(capital);
    for (const n of [1, 2, 8]) {
      const reply = await create(capital, { n });
      expect(reply.choices.map(({ index }) => index)).toEqual([...Array(n).keys()]);
      expect(textsOf(reply)).toEqual(Array(n).fill("The capital of France is Paris."));
      expect(reply.choices.every(({ finish_reason }) => finish_reason === "stop")).toBe(true);
      const { prompt_tokens = 0, completion_tokens = 0 } = one.usage ?? {};
      expect(reply.usage).toMatchObject({
        prompt_tokens,
        completion_tokens: completion_tokens * n,
        total_tokens: prompt_tokens + completion_tokens * n,
      });
    }
  });

  test("streams the choices in parallel, each with its role and end", async () => {
    const { text } = await server.post("/v1/chat/completions", {
      model,
      messages: [user(capital)],
      n: 3,
      stream: true,
      stream_options: { include_usage: true },
    });
    const data = dataOf(text);
    expect(data.pop()).toBe("[DONE]");
    const last = data.pop() as OpenAI.ChatCompletionChunk;
    const chunks = data as OpenAI.ChatCompletionChunk[];
    expect(last).toMatchObject({ choices: [], usage: { completion_tokens: expect.any(Number) } });
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    for (const index of [0, 1, 2]) {
      const own = chunks.map(({ choices }) => choices[0]).filter((c) => c?.index === index);
      expect(own.map((choice) => choice?.delta.content ?? "").join("")).toBe(
        "The capital of France is Paris.",
      );
      expect(own.map((choice) => choice?.delta.role)).toEqual([
        "assistant",
        ...Array(own.length - 1).fill(undefined),
      ]);
      expect(own.map((choice) => choice?.finish_reason)).toEqual([
        ...Array(own.length - 1).fill(null),
        "stop",
      ]);
    }
  });

  test("gives each choice its own seed, also when the model or request sets one", async () => {
    for (const body of [{ ...wild }, { ...wild, seed: 11 }, { ...wild, model: "seeded" }]) {
      const texts = textsOf(await create("Write a poem.", { ...body, n: 4 }));
      expect(new Set(texts).size).toBeGreaterThan(1);
    }
  });

  test("is recorded as one request with all its tokens", async () => {
    const reply = await create(capital, { n: 4 });
    const records = await until(
      async () => await server.requests(),
      (all) => all.at(-1)?.state === "done",
    );
    expect(records.at(-1)).toMatchObject({
      path: "/v1/chat/completions",
      completionTokens: reply.usage?.completion_tokens,
      promptTokens: reply.usage?.prompt_tokens,
    });
  });

  test("choices all stop when the client disconnects", async () => {
    const stream = await client.chat.completions.create({
      model,
      messages: [user("Write a long story.")],
      n: 8,
      stream: true,
    });
    for await (const chunk of stream) if (chunk.choices[0]?.index === 7) break;
    await server.untilQuiet();
    expect((await server.requests()).at(-1)).toMatchObject({ status: 499 });
    expect(textsOf(await create(capital))).toEqual(["The capital of France is Paris."]);
  });

  test("above 8 is refused", async () => {
    expect(await failure(create(capital, { n: 9 }))).toMatchObject({ status: 400, param: "n" });
  });
});

describe("a model's own parameters", () => {
  test("apply unless the request sets them", async () => {
    const own = await create(capital, { model: "brief" });
    expect(own.choices[0]?.finish_reason).toBe("length");
    expect(own.usage?.completion_tokens).toBe(2);
    const longer = await create(capital, { model: "brief", max_tokens: 50 });
    expect(textsOf(longer)).toEqual(["The capital of "]);
    const free = await create(capital, { model: "brief", max_tokens: 50, stop: ["never said"] });
    expect(textsOf(free)).toEqual(["The capital of France is Paris."]);
  });

  test("are kept when the request has an empty stop list", async () => {
    const reply = await create(capital, { model: "brief", max_tokens: 50, stop: [] });
    expect(textsOf(reply)).toEqual(["The capital of "]);
  });
});

describe("a conversation that does not fit", () => {
  const turns = Array.from({ length: 180 }, (_, index) => [
    user(`What is ${index % 10} + 2?`),
    { role: "assistant" as const, content: `${index % 10} + 2 = ${(index % 10) + 2}` },
  ]).flat();
  const body = { model, messages: [...turns, user(capital)] };

  test("is refused with its length and the limit", async () => {
    const error = await failure(client.chat.completions.create(body));
    expect(error).toMatchObject({ status: 400, code: "context_length_exceeded" });
    expect(error.message).toMatch(/\d{4,} tokens .* 4096/);
  });

  test("is truncated on request, which the reply, its stream and a header report", async () => {
    const truncated = { messages: expect.any(Number), tokens: expect.any(Number) };
    const whole = await server.post("/v1/chat/completions", { ...body, truncate: true });
    expect(whole.json).toMatchObject({
      choices: [{ message: { content: "The capital of France is Paris." } }],
      truncated,
    });
    const { truncated: cut } = whole.json as { truncated: { messages: number; tokens: number } };
    expect(cut.messages % 2).toBe(0);
    const header = `messages=${cut.messages}, tokens=${cut.tokens}`;
    expect(whole.headers.get("x-modelctl-truncated")).toBe(header);
    const stream = await server.post("/v1/chat/completions", {
      ...body,
      truncate: true,
      stream: true,
    });
    expect(stream.headers.get("x-modelctl-truncated")).toBe(header);
    const chunks = dataOf(stream.text);
    expect(chunks.at(-2)).toMatchObject({ choices: [{ finish_reason: "stop" }], truncated: cut });
  });
});
