// Thinking over the OpenAI-compatible API: separate from the answer, controlled, and counted.
import type OpenAI from "openai";
import { beforeAll, describe, expect, test } from "vitest";
import { failure, openaiClient, user } from "../support/openai-client.ts";
import { sharedServer } from "../support/shared-server.ts";
import type { TestServer } from "../support/test-server.ts";

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
