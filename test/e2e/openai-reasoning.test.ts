// Thinking over the OpenAI-compatible API: separate from the answer, controlled, and counted.
import type OpenAI from "openai";
import { beforeAll, describe, expect, test } from "vitest";
import {
  failure,
  openaiClient,
  storeOf,
  thinkingTemplate,
  user,
} from "../support/openai-client.ts";
import { sharedServer } from "../support/shared-server.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

let server: TestServer;
let client: OpenAI;

beforeAll(async () => {
  server = await sharedServer();
  client = openaiClient(server);
});

const messages = [user("What is the capital of France?")];
const thought = "The capital of";
const answer = "is Paris.";

/** Type with the fields that OpenAI lacks. */
interface Message {
  content: string | null;
  reasoning?: string;
  reasoning_content?: string;
}

async function ask(more: Record<string, unknown> = {}, model = "thinker") {
  const reply = await client.chat.completions.create({ model, messages, ...more });
  const message = reply.choices[0]?.message as Message;
  return { ...message, usage: reply.usage };
}

async function streamOf(more: Record<string, unknown> = {}) {
  const chunks = await client.chat.completions.create({
    model: "thinker",
    messages,
    stream: true,
    stream_options: { include_usage: true },
    ...more,
  });
  const deltas: Message[] = [];
  let usage: OpenAI.CompletionUsage | null | undefined;
  for await (const chunk of chunks) {
    if (chunk.choices[0] !== undefined) deltas.push(chunk.choices[0].delta as Message);
    usage = chunk.usage;
  }
  const join = (field: keyof Message) => deltas.map((delta) => delta[field] ?? "").join("");
  return { deltas, join, usage };
}

test("is sent under both field names, apart from the answer", async () => {
  expect(await ask()).toMatchObject({
    content: answer,
    reasoning: thought,
    reasoning_content: thought,
  });
  const { deltas, join } = await streamOf();
  expect([join("reasoning"), join("reasoning_content"), join("content")]).toEqual([
    thought,
    thought,
    answer,
  ]);
  // A delta never has both thinking and answer.
  expect(deltas.filter((delta) => delta.reasoning && delta.content)).toEqual([]);
});

test("is counted separately and as part of the answer", async () => {
  const { usage: whole } = await ask();
  const { usage: streamed } = await streamOf();
  for (const usage of [whole, streamed]) {
    const { reasoning_tokens = 0 } = usage?.completion_tokens_details ?? {};
    expect(reasoning_tokens).toBeGreaterThan(0);
    expect(reasoning_tokens).toBeLessThan(usage?.completion_tokens ?? 0);
  }
  const silent = await ask({ think: false });
  expect(silent.usage?.completion_tokens_details?.reasoning_tokens).toBe(0);
});

test("is included in the log-probabilities", async () => {
  const { choices } = await client.chat.completions.create({
    model: "thinker",
    messages,
    logprobs: true,
  });
  const tokens = choices[0]?.logprobs?.content ?? [];
  const all = "Arr, The capital of France is Paris.";
  expect(tokens.map(({ token }) => token).join("")).toBe(all);
  const stream = client.chat.completions.stream({ model: "thinker", messages, logprobs: true });
  const streamed = (await stream.finalChatCompletion()).choices[0]?.logprobs?.content ?? [];
  expect(streamed.map(({ token }) => token).join("")).toBe(all);
});

test("that reaches the limit leaves an empty answer with length", async () => {
  const reply = await client.chat.completions.create({
    model: "thinker",
    messages,
    max_completion_tokens: 4,
  });
  expect(reply.choices[0]).toMatchObject({
    message: { content: "", reasoning: expect.stringMatching(/./) },
    finish_reason: "length",
  });
});

describe("effort", () => {
  const off = "The capital of France is Paris.";
  const little = "Meow, The capital of France is Paris.";

  test.each([
    ["none", off],
    ["minimal", little],
    ["low", little],
    ["medium", answer],
    ["high", answer],
    ["xhigh", answer],
    ["max", answer],
  ])("%s sets how a model thinks", async (effort, expected) => {
    expect((await ask({ reasoning_effort: effort })).content).toBe(expected);
    expect((await ask({ reasoning: { effort } })).content).toBe(expected);
  });

  test("is overridden by think", async () => {
    expect((await ask({ reasoning_effort: "high", think: false })).content).toBe(off);
    expect((await ask({ reasoning_effort: "none", think: "low" })).content).toBe(little);
  });

  test.each(["none", "low", "high", "max"])(
    "%s is ignored by a model that cannot think",
    async (effort) => {
      expect((await ask({ reasoning_effort: effort }, "tiny")).content).toBe(off);
    },
  );

  test("with an unknown value is refused, listing the known ones", async () => {
    for (const model of ["tiny", "thinker"]) {
      const error = await failure(ask({ reasoning_effort: "extreme" }, model));
      expect(error).toMatchObject({ status: 400, param: "reasoning_effort" });
      for (const effort of ["none", "minimal", "low", "medium", "high", "xhigh", "max"]) {
        expect(error.message).toContain(effort);
      }
    }
  });
});

test("is refused for a model that cannot think when think requires it", async () => {
  for (const think of [true, "low", "high"]) {
    const error = await failure(ask({ think }, "tiny"));
    expect(error).toMatchObject({ status: 400, param: "think" });
    expect(error.message).toContain('"tiny" does not support thinking');
  }
  expect((await ask({ think: false }, "tiny")).content).toBe("The capital of France is Paris.");
});

test("of an earlier answer is accepted", async () => {
  const { reasoning, reasoning_content, content } = await ask();
  for (const field of [{ reasoning }, { reasoning_content }]) {
    const reply = await client.chat.completions.create({
      model: "thinker",
      messages: [...messages, { role: "assistant", content, ...field }, user("Hello!")],
      think: false,
    } as OpenAI.ChatCompletionCreateParamsNonStreaming);
    expect(reply.choices[0]?.message.content).toBe("Hello! How can I help you today?");
  }
});

describe("chat_template_kwargs", () => {
  test("switch thinking on and off, and set its level", async () => {
    const kwargs = (chat_template_kwargs: Record<string, unknown>) => ({ chat_template_kwargs });
    const said = async (more: Record<string, unknown> = {}) => {
      const { content, reasoning } = await ask(more);
      return { content, reasoning };
    };
    const free = await said({ think: false });
    expect(await said(kwargs({ enable_thinking: false }))).toEqual(free);
    expect(await said(kwargs({ thinking: false, reasoning_effort: "low" }))).toEqual(free);
    expect(await said(kwargs({ enable_thinking: true }))).toEqual(await said());
    expect(await said(kwargs({ reasoning_effort: "low" }))).toEqual(
      await said({ reasoning_effort: "low" }),
    );
    // The request's own field wins, and a model that cannot think ignores it.
    expect(await said({ think: true, ...kwargs({ enable_thinking: false }) })).toEqual(
      await said(),
    );
    expect((await ask(kwargs({ enable_thinking: true }), "tiny")).content).toContain("Paris");
    const { output_text } = await client.responses.create({
      model: "thinker",
      input: messages,
      ...kwargs({ enable_thinking: false }),
    });
    expect(output_text).toBe(free.content);
  });

  test.each<[Record<string, unknown>, RegExp]>([
    [{ enable_thinking: "no" }, /enable_thinking' must be true or false/],
    [{ style: ["a"] }, /style' must be a string, number or boolean/],
    [{ style: null }, /style' must be a string, number or boolean/],
    [{ messages: "none" }, /cannot be set/],
    [{ "a b": 1 }, /cannot be set/],
    [{ reasoning_effort: "huge" }, /must be one of/],
  ])("%j is refused", async (chat_template_kwargs, says) => {
    const error = await failure(ask({ chat_template_kwargs }));
    expect(error).toMatchObject({ status: 400, message: expect.stringMatching(says) });
    expect(error.param).toMatch(/^chat_template_kwargs/);
  });
});

describe("a budget for thinking", () => {
  test("ends the thinking, and the answer follows", async () => {
    expect(await ask({ reasoning_budget: 2, temperature: 0 })).toMatchObject({
      content: answer,
      reasoning: "The capital",
    });
    const { join } = await streamOf({ reasoning_budget: 2, temperature: 0 });
    expect([join("reasoning"), join("content")]).toEqual(["The capital", answer]);
  });

  test("of 0 turns thinking off, and of -1 is none", async () => {
    const silent = await ask({ reasoning_budget: 0, temperature: 0 });
    expect(silent).toMatchObject({ content: "The capital of France is Paris." });
    expect(silent).not.toHaveProperty("reasoning");
    expect(await ask({ reasoning_budget: -1 })).toMatchObject({ reasoning: thought });
  });

  test("leaves the answer its format", async () => {
    const { content, reasoning } = await ask({
      reasoning_budget: 2,
      temperature: 0,
      response_format: { type: "json_object" },
    });
    expect(reasoning).toBe("The capital");
    expect(JSON.parse(content ?? "")).toBeTypeOf("object");
  });

  test("that is larger than the room is reduced, which is reported", async () => {
    const body = { model: "thinker", messages, reasoning_budget: 30_000, max_tokens: 40 };
    const reply = await server.post("/v1/chat/completions", body);
    expect(reply.status).toBe(200);
    expect(reply.headers.get("x-modelctl-warning")).toBe(
      "Reduced the budget for thinking to 30 tokens: the answer has no more room.",
    );
  });

  test("is Anthropic's budget_tokens, an option and a parameter too", async () => {
    const { json } = await server.post("/v1/messages", {
      model: "thinker",
      messages,
      max_tokens: 50,
      temperature: 0,
      thinking: { type: "enabled", budget_tokens: 2 },
    });
    expect(json).toMatchObject({ content: [{ thinking: "The capital" }, { text: answer }] });
    const options = { reasoning_budget: 2, temperature: 0 };
    const native = await server.post("/api/chat", {
      model: "thinker",
      messages,
      stream: false,
      options,
    });
    expect(native.json).toMatchObject({ message: { thinking: "The capital", content: answer } });
  });

  test.each([-2, 1.5, "much"])("of %s is refused", async (budget) => {
    const body = { model: "thinker", messages, reasoning_budget: budget };
    expect((await server.post("/v1/chat/completions", body)).status).toBe(400);
  });
});

test("POST /api/answer-now ends the thinking of a request, even of one that waits", async () => {
  const store = await storeOf({ thinker: { template: thinkingTemplate } });
  const single = await TestServer.start({ num_parallel: 1, models: store.path });
  const stopped = new AbortController();
  try {
    const running = async () => {
      const { json } = await single.send("/api/requests");
      return (json as { requests: Array<{ id: string; state: string }> }).requests.filter(
        ({ state }) => state === "running",
      );
    };
    const endless = { model: "tiny", messages, ignore_eos: true, stream: true };
    const first = await fetch(`${single.url}/v1/chat/completions`, {
      method: "POST",
      body: JSON.stringify(endless),
      signal: stopped.signal,
    });
    const second = single.post("/api/chat", { model: "thinker", messages, stream: false });
    const [, { id = "" } = {}] = await until(running, (requests) => requests.length === 2);
    expect((await single.post("/api/answer-now", { id })).json).toEqual({
      id,
      status: "answering",
    });
    stopped.abort();
    await first.text().catch(() => "cut off by its own client");
    const { json } = await second;
    expect(json).toMatchObject({ message: { content: expect.stringContaining("Paris") } });
    expect(json).not.toHaveProperty("message.thinking");
    const ended = await single.post("/api/answer-now", { id });
    expect(ended.status).toBe(404);
  } finally {
    await single.close();
    store.remove();
  }
});
