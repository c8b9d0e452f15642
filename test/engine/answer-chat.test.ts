// Chat answers: the model's own messages, truncation, tool calls and formats.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fromTurn, turnStarts } from "../../source/engine/answer/chat-prompt.ts";
import {
  type CanonicalEvent,
  type CanonicalRequest,
  plainChat,
  plainRequest,
} from "../../source/engine/request.ts";
import { Scheduler } from "../../source/engine/scheduler/scheduler.ts";
import type { PromptMessage } from "../../source/prompt/prompt-template.ts";
import { ModelCatalog, type ResolvedModel } from "../../source/store/model-catalog.ts";
import { tinyEngine } from "../support/load-tiny.ts";

const catalog = new ModelCatalog();
const schedulers: Scheduler[] = [];

function createScheduler(contextLength: number): Scheduler {
  const created = new Scheduler({
    catalog,
    engine: { ...tinyEngine, contextLength },
    keepAliveMs: 60_000,
    loadTimeoutMs: 60_000,
    maxLoadedModels: 1,
    log: () => {},
    engineLog: () => {},
  });
  schedulers.push(created);
  return created;
}

const usual = createScheduler(1024);
let tiny: ResolvedModel;
beforeAll(async () => {
  tiny = await catalog.resolve("tiny");
});
afterAll(async () => {
  await Promise.all(schedulers.map((scheduler) => scheduler.close()));
});

const user = (content: string): PromptMessage => ({ role: "user", content });
const assistant = (content: string): PromptMessage => ({ role: "assistant", content });

async function ask(
  messages: PromptMessage[],
  changes: Partial<CanonicalRequest> = {},
  model: ResolvedModel = tiny,
  scheduler = usual,
) {
  const request = plainRequest({
    model: "tiny",
    isFileAllowed: () => true,
    input: plainChat(messages),
    ...changes,
  });
  const events: CanonicalEvent[] = [];
  for await (const event of scheduler.run(request, model, new AbortController().signal)) {
    events.push(event);
  }
  const text = events.map((event) => (event.type === "text" ? event.text : "")).join("");
  const done = events.find((event) => event.type === "done");
  return { text, events, done };
}

describe("a model's own messages", () => {
  const pirate = () => ({ ...tiny, system: "You are a pirate." });

  test("include its system prompt, unless the request has one", async () => {
    const question = user("What is the capital of France?");
    expect((await ask([question], {}, pirate())).text).toMatch(/^Arr, /);
    const own: PromptMessage = { role: "system", content: "You are a cat." };
    expect((await ask([own, question], {}, pirate())).text).toMatch(/^Meow, /);
  });

  test("come before the request's messages", async () => {
    const model = {
      ...tiny,
      messages: [
        { role: "user" as const, content: "My name is Bob." },
        { role: "assistant" as const, content: "Nice to meet you, Bob." },
      ],
    };
    expect((await ask([user("What is my name?")], {}, model)).text).toBe("Your name is Bob.");
  });

  test("are rendered by a Go template that overrides the file's own", async () => {
    const template =
      "<|startoftext|>{{ if .System }}<|im_start|>system\n{{ .System }}<|im_end|>\n{{ end }}" +
      "<|im_start|>user\n{{ .Prompt }}<|im_end|>\n<|im_start|>assistant\n{{ .Response }}<|im_end|>\n";
    const { text } = await ask([user("What is the capital of France?")], {}, { ...tiny, template });
    expect(text).toBe("The capital of France is Paris.");
  });
});

describe("a conversation that does not fit", () => {
  const filler = Array.from({ length: 16 }, (_, index) => [
    user(`What is ${index % 10} + 3?`),
    assistant(`${index % 10} + 3 = ${(index % 10) + 3}`),
  ]).flat();
  const long = [...filler, user("What is the capital of France?")];
  const small = createScheduler(256);

  test("is refused with both numbers", async () => {
    await expect(ask(long, {}, tiny, small)).rejects.toThrow(
      /prompt is \d+ tokens long.* exceeds the context window of 256/,
    );
  });

  test("loses its oldest turns on request, and reports how many", async () => {
    const { text, events, done } = await ask(long, { truncate: true }, tiny, small);
    expect(text).toBe("The capital of France is Paris.");
    const cut = events.find((event) => event.type === "truncated");
    expect(cut).toMatchObject({ messages: expect.any(Number), tokens: expect.any(Number) });
    expect(done).toMatchObject({ truncated: { messages: cut?.messages } });
    expect(done?.statistics.promptTokens).toBeLessThan(256);
  });

  test("that fills the window during the answer ends it, or continues without the oldest turns", async () => {
    const story = [...filler.slice(0, 4), user("Write a long story.")];
    const short = createScheduler(512);
    const ended = await ask(story, {}, tiny, short);
    expect(ended.done).toMatchObject({ reason: "length" });
    const { promptTokens = 0, completionTokens = 0 } = ended.done?.statistics ?? {};
    expect(promptTokens + completionTokens).toBe(512);
    expect(ended.events.some((event) => event.type === "truncated")).toBe(false);
    const shifted = await ask(story, { shift: true }, tiny, short);
    expect(shifted.text.startsWith(ended.text)).toBe(true);
    expect(shifted.text.length).toBeGreaterThan(ended.text.length);
    expect(shifted.events.some((event) => event.type === "truncated")).toBe(true);
  });

  test("keeps system prompts and the last question", () => {
    const system: PromptMessage = { role: "system", content: "s" };
    const tool: PromptMessage = { role: "tool", content: "t" };
    const messages = [
      system,
      user("1"),
      assistant("a"),
      tool,
      user("2"),
      assistant("b"),
      user("3"),
    ];
    const shorter = turnStarts(messages).map((start) => fromTurn(messages, start));
    expect(shorter.map((each) => each.map(({ content }) => content))).toEqual([
      ["s", "2", "b", "3"],
      ["s", "3"],
    ]);
    expect(turnStarts([system, user("1"), assistant("a")])).toEqual([]);
  });
});

describe("tools", () => {
  const weather = {
    name: "get_weather",
    description: "Get the weather in a city",
    parameters: {
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
    },
  };
  const question = user("What is the weather in Paris?");

  test("are called with arguments in pieces and as a whole", async () => {
    const input = plainChat([question], { tools: [weather] });
    const { text, events } = await ask([], { input });
    expect(text).toBe("");
    const started = events.find((event) => event.type === "tool-call");
    expect(started).toMatchObject({ index: 0, name: "get_weather" });
    const pieces = events.flatMap((event) => (event.type === "tool-arguments" ? [event.text] : []));
    expect(JSON.parse(pieces.join(""))).toEqual({ city: "Paris" });
    const end = events.find((event) => event.type === "tool-call-end");
    expect(end).toMatchObject({ arguments: { city: "Paris" } });
  });

  test("are left out of the prompt with tool_choice none", async () => {
    const input = plainChat([question], { tools: [weather], toolChoice: "none" });
    expect((await ask([], { input })).text).toBe("I do not know the weather in Paris.");
  });
});

describe("a format", () => {
  const question = user("Reply in JSON with the capital of France.");

  test("limits the answer to JSON", async () => {
    const { text } = await ask([question], { format: { kind: "json" } });
    expect(JSON.parse(text)).toEqual({ capital: "Paris" });
  });

  test("limits the answer to a schema", async () => {
    const properties = { capital: { enum: ["Oslo", "Paris", "Rome"] }, sure: { const: true } };
    const schema = { type: "object", properties, required: ["capital", "sure"] };
    const { text } = await ask([question], { format: { kind: "schema", schema } });
    expect(JSON.parse(text)).toEqual({ capital: "Paris", sure: true });
  });

  test("with an invalid schema is refused with the place of the mistake", async () => {
    const schema = { type: "object", properties: { a: { type: "strin" } } };
    await expect(ask([question], { format: { kind: "schema", schema } })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining("/properties/a"),
    });
  });
});

test("a call can be required, of any tool or of one", async () => {
  const tools = ["get_weather", "get_time"].map((name) => ({
    name,
    description: "Get something of a city",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  }));
  for (const toolChoice of ["required", { name: "get_time" }] as const) {
    const input = plainChat([user("Hello!")], { tools, toolChoice, parallelToolCalls: false });
    const { events } = await ask([], { input, parameters: { num_predict: 200 } });
    const call = events.find((event) => event.type === "tool-call");
    const names = typeof toolChoice === "object" ? ["get_time"] : ["get_weather", "get_time"];
    expect(names).toContain(call?.name);
    const end = events.find((event) => event.type === "tool-call-end");
    expect(end?.arguments).toHaveProperty("city");
  }
});

test("thinking is refused for a model without it, before loading", async () => {
  await expect(ask([user("Hi")], { think: true })).rejects.toMatchObject({
    message: '"tiny" does not support thinking',
    status: 400,
  });
  expect((await ask([user("What is 2 + 3?")], { think: false })).text).toBe("2 + 3 = 5");
});

test("the tokens of prompt and answer continue the conversation", async () => {
  const first = await ask([user("My name is Bob.")], { wantsContext: true });
  const context = first.done?.context;
  expect(context?.[0]).toBe(1);
  const input = plainChat([user("What is my name?")], { context: context ?? [] });
  expect((await ask([], { input })).text).toBe("Your name is Bob.");
});

test("the default template's end of a turn ends an answer even if it is plain text to the model", async () => {
  const format = { kind: "schema" as const, schema: { const: "Paris<|im_end|> and so on" } };
  const base = { ...tiny, facts: { ...tiny.facts, chatTemplate: undefined } };
  const { text, done } = await ask([user("Hi")], { format }, base);
  expect([text, done?.reason]).toEqual(['"Paris', "stop"]);
  expect((await ask([user("Hi")], { format })).text).toContain("and so on");
});

describe("an answer that repeats one token", () => {
  const repeat: Partial<CanonicalRequest> = {
    logitBias: [[300, 100]],
    parameters: { temperature: 0, num_predict: 80 },
  };

  test("ends after 30 of them", async () => {
    const { done } = await ask([user("Hi")], repeat);
    expect(done).toMatchObject({ reason: "length", statistics: { completionTokens: 30 } });
  });

  test("continues if the request ignores the end of text, or a grammar requires it", async () => {
    const { done } = await ask([user("Hi")], { ...repeat, ignoreEndOfText: true });
    expect(done?.statistics.completionTokens).toBe(80);
    const { text } = await ask([user("Hi")], {
      format: { kind: "schema", schema: { type: "string", pattern: "^ {70}$" } },
    });
    expect(text).toBe(JSON.stringify(" ".repeat(70)));
  });
});
