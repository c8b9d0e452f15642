// OpenAI-compatible API with the Vercel AI SDK, through its OpenAI-compatible provider.
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import {
  APICallError,
  embedMany,
  generateObject,
  generateText,
  isStepCount,
  Output,
  streamText,
  tool,
} from "ai";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { sharedServer } from "../support/shared-server.ts";
import type { TestServer } from "../support/test-server.ts";

let server: TestServer;
let provider: ReturnType<typeof createOpenAICompatible>;

beforeAll(async () => {
  // Silences warnings about generateObject, which is deprecated and still used.
  vi.stubGlobal("AI_SDK_LOG_WARNINGS", false);
  server = await sharedServer();
  provider = createOpenAICompatible({
    name: "modelctl",
    baseURL: `${server.url}/v1`,
    includeUsage: true,
    supportsStructuredOutputs: true,
  });
});
afterAll(async () => {
  vi.unstubAllGlobals();
});

const answer = "The capital of France is Paris.";
const prompt = "What is the capital of France?";
const model = () => provider("tiny");
const Person = z.object({ name: z.string(), age: z.int().min(0).max(150) });

const weather = (cities: string[]) =>
  tool({
    description: "Get the weather in a city",
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => {
      cities.push(city);
      return "sunny, 21 degrees";
    },
  });

describe("text", () => {
  test("is generated, with finish reason and usage", async () => {
    const result = await generateText({ model: model(), prompt });
    expect(result.text).toBe(answer);
    expect(result.finishReason).toBe("stop");
    expect(result.usage.inputTokens).toBeGreaterThan(10);
    expect(result.usage.outputTokens).toBeGreaterThan(5);
    expect(result.warnings ?? []).toEqual([]);
  });

  test("is streamed, with finish reason and usage", async () => {
    const result = streamText({ model: model(), prompt });
    const pieces: string[] = [];
    for await (const piece of result.textStream) pieces.push(piece);
    expect(pieces.join("")).toBe(answer);
    expect(await result.finishReason).toBe("stop");
    expect((await result.usage).outputTokens).toBeGreaterThan(5);
  });

  test("follows settings, a system prompt and a conversation", async () => {
    const pirate = { model: model(), system: "You are a pirate." };
    const cut = await generateText({ ...pirate, prompt, maxOutputTokens: 3 });
    expect(cut.finishReason).toBe("length");
    const whole = await generateText({
      ...pirate,
      temperature: 0,
      stopSequences: ["Paris"],
      messages: [
        { role: "user", content: "Hello!" },
        { role: "assistant", content: "Arr, Hello! How can I help you today?" },
        { role: "user", content: [{ type: "text", text: prompt }] },
      ],
    });
    expect(whole.text).toBe("Arr, The capital of France is ");
  });

  test("is separate from the model's thinking", async () => {
    const thinker = provider("thinker");
    const whole = await generateText({ model: thinker, prompt });
    expect([whole.reasoningText, whole.text]).toEqual(["The capital of", "is Paris."]);
    const streamed = streamText({ model: thinker, prompt });
    expect([await streamed.reasoningText, await streamed.text]).toEqual([
      "The capital of",
      "is Paris.",
    ]);
    const silent = await generateText({
      model: thinker,
      prompt,
      providerOptions: { modelctl: { reasoningEffort: "none" } },
    });
    expect([silent.reasoningText ?? "", silent.text]).toEqual(["", answer]);
  });
});

describe("tools", () => {
  const question = "What is the weather in Paris?";
  const settings = (cities: string[]) => ({
    model: model(),
    prompt: question,
    tools: { get_weather: weather(cities) },
    stopWhen: isStepCount(3),
  });

  test("are called, and their results used", async () => {
    const cities: string[] = [];
    const result = await generateText(settings(cities));
    expect(result.text).toBe("The tool says: sunny, 21 degrees");
    expect(result.steps.map(({ finishReason }) => finishReason)).toEqual(["tool-calls", "stop"]);
    expect(cities).toEqual(["Paris"]);
  });

  test("are called in a stream", async () => {
    const cities: string[] = [];
    const result = streamText(settings(cities));
    const types = new Set<string>();
    for await (const part of result.fullStream) types.add(part.type);
    expect(await result.text).toBe("The tool says: sunny, 21 degrees");
    expect(cities).toEqual(["Paris"]);
    for (const type of ["tool-input-start", "tool-input-delta", "tool-call", "tool-result"]) {
      expect(types).toContain(type);
    }
  });

  test("are required and forbidden", async () => {
    const tools = { get_weather: weather([]) };
    const forced = await generateText({
      model: model(),
      prompt: "What is 2 + 3?",
      tools,
      toolChoice: { type: "tool", toolName: "get_weather" },
    });
    expect(forced.toolCalls).toMatchObject([{ toolName: "get_weather" }]);
    const none = await generateText({
      model: model(),
      prompt: question,
      tools,
      toolChoice: "none",
    });
    expect(none.text).toBe("I do not know the weather in Paris.");
  });
});

describe("objects", () => {
  const body = () => ({ model: model(), prompt: "Reply in JSON with name Bob and age 5." });

  test("are generated from a schema", async () => {
    const { object } = await generateObject({ ...body(), schema: Person });
    expect(object).toEqual({ name: "Bob", age: 5 });
  });

  test("are the output of generated and streamed texts", async () => {
    const output = Output.object({ schema: Person });
    expect((await generateText({ ...body(), output })).output).toEqual({ name: "Bob", age: 5 });
    const streamed = streamText({ ...body(), output });
    const partial: unknown[] = [];
    for await (const part of streamed.partialOutputStream) partial.push(part);
    expect(partial.at(-1)).toEqual({ name: "Bob", age: 5 });
  });
});

test("embeds many texts", async () => {
  const { embeddings, usage } = await embedMany({
    model: provider.embeddingModel("tiny"),
    values: ["one", "two", "three"],
  });
  expect(embeddings.map((vector) => vector.length)).toEqual([128, 128, 128]);
  expect(usage.tokens).toBeGreaterThan(3);
});

test("completes a prompt", async () => {
  const result = await generateText({
    model: provider.completionModel("tiny"),
    prompt: "Once upon a time",
    maxOutputTokens: 4,
  });
  expect(["stop", "length"]).toContain(result.finishReason);
  expect(result.usage).toMatchObject({
    inputTokens: expect.any(Number),
    outputTokens: expect.any(Number),
  });
});

test("throws API errors with our message, without retries", async () => {
  const before = server.hosted.requestLog.records.at(-1);
  const error = await generateText({ model: provider("nobody"), prompt }).catch(
    (thrown: unknown) => thrown,
  );
  expect(APICallError.isInstance(error)).toBe(true);
  expect(error).toMatchObject({
    statusCode: 404,
    isRetryable: false,
    message: expect.stringContaining("model 'nobody' not found"),
  });
  expect(server.hosted.requestLog.records.at(-2)).toBe(before);
});
