// OpenAI-compatible API with LangChain.
import {
  AIMessage,
  type AIMessageChunk,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { ChatOpenAI, OpenAI, OpenAIEmbeddings } from "@langchain/openai";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { sharedServer } from "../support/shared-server.ts";
import type { TestServer } from "../support/test-server.ts";

let server: TestServer;

beforeAll(async () => {
  server = await sharedServer();
});

const answer = "The capital of France is Paris.";
const question = "What is the capital of France?";
const Person = z.object({ name: z.string(), age: z.int().min(0).max(150) });

const options = () => ({
  model: "tiny",
  apiKey: "anything",
  maxRetries: 0,
  configuration: { baseURL: `${server.url}/v1` },
});
const chat = (more: Record<string, unknown> = {}) => new ChatOpenAI({ ...options(), ...more });

const weather = tool(async ({ city }: { city: string }) => `sunny in ${city}`, {
  name: "get_weather",
  description: "Get the weather in a city",
  schema: z.object({ city: z.string() }),
});

describe("a chat", () => {
  test("is invoked, with finish reason and usage", async () => {
    const reply = await chat().invoke(question);
    expect(reply.content).toBe(answer);
    expect(reply.response_metadata).toMatchObject({ finish_reason: "stop" });
    expect(reply.usage_metadata).toMatchObject({
      input_tokens: expect.any(Number),
      output_tokens: expect.any(Number),
      total_tokens: expect.any(Number),
    });
  });

  test("is streamed, with its usage", async () => {
    let whole: AIMessageChunk | undefined;
    for await (const chunk of await chat().stream(question)) whole = whole?.concat(chunk) ?? chunk;
    expect(whole?.content).toBe(answer);
    expect(whole?.usage_metadata).toMatchObject({ output_tokens: expect.any(Number) });
  });

  test("follows a system prompt, a conversation and settings", async () => {
    const reply = await chat({ maxTokens: 50, temperature: 0, stop: ["Paris"] }).invoke([
      new SystemMessage("You are a pirate."),
      new HumanMessage("Hello!"),
      new AIMessage("Arr, Hello! How can I help you today?"),
      new HumanMessage(question),
    ]);
    expect(reply.content).toBe("Arr, The capital of France is ");
  });

  test("returns several answers", async () => {
    const { generations } = await chat({ n: 3 }).generate([[new HumanMessage(question)]]);
    expect(generations[0]?.map(({ text }) => text)).toEqual([answer, answer, answer]);
  });

  test("returns log-probabilities", async () => {
    const reply = await chat({ logprobs: true, topLogprobs: 2 }).invoke(question);
    const { logprobs } = reply.response_metadata as { logprobs: { content: unknown[] } };
    expect(logprobs.content.length).toBeGreaterThan(5);
  });

  test("in a batch answers each question", async () => {
    const replies = await chat().batch([question, "What is 2 + 3?", "Hello!"]);
    expect(replies.map(({ content }) => content)).toEqual([
      answer,
      "2 + 3 = 5",
      "Hello! How can I help you today?",
    ]);
  });
});

describe("tools", () => {
  const asked = new HumanMessage("What is the weather in Paris?");

  test("are bound, called, and their results used", async () => {
    const bound = chat().bindTools([weather]);
    const reply = await bound.invoke([asked]);
    expect(reply.tool_calls).toMatchObject([{ name: "get_weather", args: { city: "Paris" } }]);
    const [call] = reply.tool_calls ?? [];
    if (call === undefined) throw new Error("no call");
    const result = (await weather.invoke({ ...call, type: "tool_call" })) as ToolMessage;
    expect(result.content).toBe("sunny in Paris");
    const told = new ToolMessage({ content: "sunny, 21 degrees", tool_call_id: call.id ?? "" });
    const last = await bound.invoke([asked, reply, told]);
    expect(last.content).toBe("The tool says: sunny, 21 degrees");
  });

  test("are called in a stream", async () => {
    let whole: AIMessageChunk | undefined;
    for await (const chunk of await chat().bindTools([weather]).stream([asked])) {
      whole = whole?.concat(chunk) ?? chunk;
    }
    expect(whole?.tool_calls).toMatchObject([{ name: "get_weather", args: { city: "Paris" } }]);
  });

  test.each(["any", "required", "get_weather"])("are required with %s", async (choice) => {
    const bound = chat().bindTools([weather], { tool_choice: choice });
    const reply = await bound.invoke("What is 2 + 3?");
    expect(reply.tool_calls).toMatchObject([{ name: "get_weather" }]);
  });
});

describe("structured output", () => {
  const prompt = "Reply in JSON with name Bob and age 5.";

  test.each(["jsonSchema", "jsonMode"] as const)("is returned by %s", async (method) => {
    const structured = chat().withStructuredOutput(Person, { method, name: "person" });
    expect(await structured.invoke(prompt)).toEqual({ name: "Bob", age: 5 });
  });

  test("is returned by a required call", async () => {
    const structured = chat({ maxTokens: 200 }).withStructuredOutput(Person, {
      method: "functionCalling",
      name: "person",
    });
    expect(Person.safeParse(await structured.invoke(prompt)).success).toBe(true);
  });
});

test("embeds texts", async () => {
  const embeddings = new OpenAIEmbeddings(options());
  const [one, two] = await embeddings.embedDocuments(["one", "two"]);
  expect([one?.length, two?.length]).toEqual([128, 128]);
  const again = await embeddings.embedQuery("one");
  expect(again).toEqual(one);
});

test("completes a prompt", async () => {
  const llm = new OpenAI({ ...options(), maxTokens: 30 });
  const prompt = `<|im_start|>user\n${question}<|im_end|>\n<|im_start|>assistant\n`;
  expect(await llm.invoke(prompt)).toBe(answer);
  const pieces: string[] = [];
  for await (const piece of await llm.stream(prompt)) pieces.push(piece);
  expect(pieces.join("")).toBe(answer);
});

test("throws for an unknown model with our message", async () => {
  await expect(chat({ model: "nobody" }).invoke(question)).rejects.toMatchObject({
    status: 404,
    message: expect.stringContaining("model 'nobody' not found"),
  });
});
