// OpenAI-compatible API with OpenAI's own client library.
import { readdirSync } from "node:fs";
import path from "node:path";
import OpenAI from "openai";
import { beforeAll, describe, expect, test } from "vitest";
import { tinyFile } from "../support/command-line.ts";
import { apiPairs, messagesOf, type Pair, textPairs } from "../support/pairs.ts";
import { sharedServer } from "../support/shared-server.ts";
import type { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

type Messages = OpenAI.ChatCompletionMessageParam[];
type Body = Partial<OpenAI.ChatCompletionCreateParamsNonStreaming>;

let server: TestServer;
let client: OpenAI;

beforeAll(async () => {
  server = await sharedServer();
  client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "anything", maxRetries: 0 });
});

const capital = "What is the capital of France?";
const capitalAnswer = "The capital of France is Paris.";
const longQuestion = "Write a long story.";

const user = (content: string): Messages => [{ role: "user", content }];
const pairMessages = (pair: Pair) => messagesOf(pair) as Messages;
const titleOf = (pair: Pair) => [pair.system, pair.turns.at(-1)?.[1]].filter(Boolean).join(" ");

async function complete(prompt: string, body: Body = {}) {
  return await client.chat.completions.create({ model: "tiny", messages: user(prompt), ...body });
}

async function answerTo(prompt: string, body: Body = {}): Promise<string> {
  return (await complete(prompt, body)).choices[0]?.message.content ?? "";
}

async function stream(messages: Messages, body: Body = {}) {
  const chunks: OpenAI.ChatCompletionChunk[] = [];
  const options = { model: "tiny", messages, ...body, stream: true } as const;
  for await (const chunk of await client.chat.completions.create(options)) chunks.push(chunk);
  return chunks;
}

const textOf = (chunks: OpenAI.ChatCompletionChunk[]) =>
  chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("");

const logprobsOf = (chunks: OpenAI.ChatCompletionChunk[]) =>
  chunks.flatMap((chunk) => chunk.choices[0]?.logprobs?.content ?? []);

/** Returns the error of a request, and throws if it succeeds. */
async function failure(request: Promise<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> {
  const error = await request.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof OpenAI.APIError) return error;
  throw new Error(`no API error, but ${String(error)}`);
}

describe("the model's recorded answers", () => {
  test("include 31 conversations without tools", () => {
    expect(textPairs).toHaveLength(31);
  });

  test.each(apiPairs.map((pair) => ({ title: titleOf(pair), pair })))(
    "$title",
    async ({ pair }) => {
      const messages = pairMessages(pair);
      const whole = await client.chat.completions.create({ model: "tiny", messages });
      expect(whole.choices).toMatchObject([
        { message: { role: "assistant", content: pair.expect }, finish_reason: "stop" },
      ]);
      expect(textOf(await stream(messages))).toBe(pair.expect);
    },
  );

  test("are right for many conversations at the same time", async () => {
    const answers = await Promise.all(
      textPairs.map(async (pair) => textOf(await stream(pairMessages(pair)))),
    );
    expect(answers).toEqual(textPairs.map((pair) => pair.expect));
  });
});

describe("the reply", () => {
  test("has the requested model name and its own id", async () => {
    const replies = [await complete("Hello!"), await complete("Hello!", { model: "Tiny:latest" })];
    expect(replies.map(({ model }) => model)).toEqual(["tiny", "Tiny:latest"]);
    expect(new Set(replies.map(({ id }) => id)).size).toBe(2);
    expect(replies.every(({ object }) => object === "chat.completion")).toBe(true);
  });

  test("counts prompt and answer tokens, cached ones included", async () => {
    const first = await complete("Repeat after me: seven green apple stone");
    const second = await complete("Repeat after me: seven green apple stone");
    const native = await server.post("/api/generate", {
      model: "tiny",
      prompt: "Repeat after me: seven green apple stone",
      stream: false,
    });
    const { prompt_eval_count, eval_count } = native.json as Record<string, number>;
    for (const { usage } of [first, second]) {
      expect(usage?.prompt_tokens).toBe(prompt_eval_count);
      expect(usage?.completion_tokens).toBe(eval_count);
      expect(usage?.total_tokens).toBe(Number(prompt_eval_count) + Number(eval_count));
    }
    expect(second.usage?.prompt_tokens_details?.cached_tokens).toBeGreaterThan(0);
  });

  test("accepts content in parts as one message", async () => {
    const content = [
      { type: "text" as const, text: "What is the capital " },
      { type: "text" as const, text: "of France?" },
    ];
    const reply = await client.chat.completions.create({
      model: "tiny",
      messages: [{ role: "user", content }],
    });
    expect(reply.choices[0]?.message.content).toBe(capitalAnswer);
  });

  test("accepts the developer role as system prompt", async () => {
    const messages: Messages = [
      { role: "developer", content: "You are a pirate." },
      ...user(capital),
    ];
    const reply = await client.chat.completions.create({ model: "tiny", messages });
    expect(reply.choices[0]?.message.content).toBe(`Arr, ${capitalAnswer}`);
  });

  test("treats null as not given, as some clients send it", async () => {
    const reply = await server.post("/v1/chat/completions", {
      model: "tiny",
      messages: user(capital),
      stop: null,
      max_tokens: null,
      temperature: null,
      seed: null,
      stream: null,
      tools: null,
      logit_bias: null,
      response_format: null,
    });
    expect(reply.json).toMatchObject({ choices: [{ message: { content: capitalAnswer } }] });
  });
});

describe("the stream", () => {
  test("begins with the role, ends with the reason, and reports usage only on request", async () => {
    const chunks = await stream(user(capital));
    expect(chunks[0]?.choices[0]?.delta.role).toBe("assistant");
    expect(chunks.slice(1).every((chunk) => chunk.choices[0]?.delta.role === undefined)).toBe(true);
    expect(chunks.at(-1)?.choices).toMatchObject([{ delta: {}, finish_reason: "stop" }]);
    const reasons = chunks.slice(0, -1).map((chunk) => chunk.choices[0]?.finish_reason);
    expect(reasons.every((reason) => reason === null)).toBe(true);
    expect(chunks.every((chunk) => !("usage" in chunk))).toBe(true);
    expect(new Set(chunks.map(({ id, created }) => `${id} ${created}`)).size).toBe(1);
  });

  test("adds a last chunk with the usage and no choices", async () => {
    const chunks = await stream(user(capital), { stream_options: { include_usage: true } });
    const whole = await complete(capital);
    expect(chunks.at(-1)?.choices).toEqual([]);
    expect(chunks.at(-1)?.usage).toMatchObject({
      prompt_tokens: whole.usage?.prompt_tokens,
      completion_tokens: whole.usage?.completion_tokens,
      total_tokens: whole.usage?.total_tokens,
    });
    expect(chunks.slice(0, -1).every((chunk) => !chunk.usage)).toBe(true);
  });

  test("consists of data events, the last one [DONE]", async () => {
    const { text, headers } = await server.post("/v1/chat/completions", {
      model: "tiny",
      messages: user(capital),
      stream: true,
    });
    expect(headers.get("content-type")).toMatch(/^text\/event-stream/);
    const events = text.split("\n\n");
    expect(events.at(-1)).toBe("");
    expect(events.at(-2)).toBe("data: [DONE]");
    for (const event of events.slice(0, -2)) {
      expect(event).toMatch(/^data: \{/);
      expect(() => JSON.parse(event.slice("data: ".length))).not.toThrow();
    }
  });

  test("never splits a character made of several tokens", async () => {
    const prompt = "Repeat after me: 😀 banana";
    const whole = await answerTo(prompt);
    const pieces = (await stream(user(prompt))).map((chunk) => chunk.choices[0]?.delta.content);
    expect(pieces.join("")).toBe(whole);
    const lone = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
    expect(pieces.filter((piece) => lone.test(piece ?? ""))).toEqual([]);
  });

  test("stops the work when aborted: logged as 499, and the model is free again", async () => {
    const running = await client.chat.completions.create({
      model: "tiny",
      messages: user(longQuestion),
      stream: true,
    });
    for await (const chunk of running) {
      if (chunk.choices[0]?.delta.content) break; // leaving the loop aborts the request
    }
    const last = await until(
      async () => (await server.requests()).at(-1),
      (record) => record?.state !== "running",
    );
    expect(last).toMatchObject({ path: "/v1/chat/completions", stream: true, status: 499 });
    await server.untilQuiet();
  });
});

describe("the end of an answer", () => {
  test("a stop string, even across tokens, ends it and is never sent", async () => {
    for (let at = 1; at < capitalAnswer.length - 1; at += 1) {
      const stop = capitalAnswer.slice(at, at + 2);
      const expected = capitalAnswer.slice(0, capitalAnswer.indexOf(stop));
      const chunks = await stream(user(capital), { stop });
      expect([stop, textOf(chunks)]).toEqual([stop, expected]);
      expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe("stop");
      expect(await answerTo(capital, { stop: ["never said", stop] })).toBe(expected);
    }
  });

  test("an incomplete stop string is part of the answer", async () => {
    expect(textOf(await stream(user(capital), { stop: ["Paris!", "France was"] }))).toBe(
      capitalAnswer,
    );
  });

  test.each(["max_tokens", "max_completion_tokens"] as const)(
    "%s cuts it, reports it, and counts correctly",
    async (field) => {
      for (const limit of [1, 3]) {
        const reply = await complete(capital, { [field]: limit });
        expect(reply.choices[0]?.finish_reason).toBe("length");
        expect(reply.usage?.completion_tokens).toBe(limit);
        expect(capitalAnswer.startsWith(reply.choices[0]?.message.content ?? "?")).toBe(true);
        const chunks = await stream(user(capital), { [field]: limit });
        expect(textOf(chunks)).toBe(reply.choices[0]?.message.content);
        expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe("length");
      }
    },
  );

  test("max_completion_tokens wins over max_tokens", async () => {
    const reply = await complete(capital, { max_tokens: 5, max_completion_tokens: 2 });
    expect(reply.usage?.completion_tokens).toBe(2);
  });
});

describe("log-probabilities", () => {
  const wanted = { logprobs: true, top_logprobs: 5 } as const;

  test("describe each token, and the chosen one is the best", async () => {
    const reply = await complete(capital, wanted);
    const tokens = reply.choices[0]?.logprobs?.content ?? [];
    expect(tokens.map(({ token }) => token).join("")).toBe(capitalAnswer);
    const bytes = tokens.flatMap((token) => token.bytes ?? []);
    expect(Buffer.from(bytes).toString("utf8")).toBe(capitalAnswer);
    for (const { token, logprob, top_logprobs } of tokens) {
      expect(top_logprobs).toHaveLength(5);
      expect(top_logprobs[0]).toMatchObject({ token, logprob });
      const values = top_logprobs.map((alternative) => alternative.logprob);
      expect(values).toEqual(values.toSorted((a, b) => b - a));
      expect(values.every((value) => value <= 0)).toBe(true);
    }
  });

  test("of the best tokens sum to nearly one and never above", async () => {
    const reply = await complete(capital, { logprobs: true, top_logprobs: 20 });
    for (const { top_logprobs } of reply.choices[0]?.logprobs?.content ?? []) {
      const sum = top_logprobs.reduce((total, { logprob }) => total + Math.exp(logprob), 0);
      expect(sum).toBeLessThanOrEqual(1 + 1e-6);
      expect(sum).toBeGreaterThan(0.9);
    }
  });

  test("are the model's own: sampling settings do not change them", async () => {
    const cold = await complete(capital, { ...wanted, max_tokens: 1, temperature: 0 });
    const hot = await complete(capital, {
      ...wanted,
      max_tokens: 1,
      temperature: 2,
      top_p: 0.1,
      seed: 3,
    });
    const [first] = cold.choices[0]?.logprobs?.content ?? [];
    const [second] = hot.choices[0]?.logprobs?.content ?? [];
    expect(first?.top_logprobs).toHaveLength(5);
    expect(second?.top_logprobs).toEqual(first?.top_logprobs);
  });

  test("are the same in a stream", async () => {
    const whole = await complete(capital, wanted);
    const streamed = logprobsOf(await stream(user(capital), wanted));
    expect(streamed).toEqual(whole.choices[0]?.logprobs?.content);
  });

  test("have no alternatives unless requested, and are absent by default", async () => {
    const alone = await complete(capital, { logprobs: true });
    const tokens = alone.choices[0]?.logprobs?.content ?? [];
    expect(tokens.length).toBeGreaterThan(0);
    expect(tokens.every(({ top_logprobs }) => top_logprobs.length === 0)).toBe(true);
    expect((await complete(capital)).choices[0]?.logprobs).toBeNull();
  });
});

describe("sampling", () => {
  const wild = { temperature: 2, top_p: 1, max_tokens: 30, options: { top_k: 0 } } as Body;

  test("the same seed repeats the answer, other seeds change it", async () => {
    const once: string[] = [];
    const again: string[] = [];
    for (let seed = 1; seed <= 5; seed += 1) {
      once.push(await answerTo("Who invented the rocket?", { ...wild, seed }));
    }
    for (let seed = 1; seed <= 5; seed += 1) {
      again.push(await answerTo("Who invented the rocket?", { ...wild, seed }));
    }
    expect(again).toEqual(once);
    expect(new Set(once).size).toBeGreaterThan(1);
  });

  test("without a seed every answer draws a new one", async () => {
    const answers = new Set<string>();
    await until(
      async () => answers.add(await answerTo("Who invented the rocket?", wild)).size,
      (size) => size > 1,
    );
  });

  test.each([{ top_k: 1 }, { min_p: 1 }])(
    "%o, as other servers take it, leaves only the likeliest token",
    async (narrow) => {
      const answers = new Set<string>();
      for (let seed = 1; seed <= 3; seed += 1) {
        answers.add(await answerTo("Who invented the rocket?", { ...wild, ...narrow, seed }));
      }
      expect(answers.size).toBe(1);
    },
  );

  test("logit_bias forces a token and forbids the usual one", async () => {
    const theToken = "324"; // "The" in the tiny model's vocabulary
    const forced = await answerTo("Hello!", { max_tokens: 1, logit_bias: { [theToken]: 100 } });
    expect(forced).toBe("The");
    const other = await answerTo(capital, { logit_bias: { [theToken]: -100 } });
    expect(other).not.toBe("");
    expect(other.startsWith("The")).toBe(false);
  });

  test("ignore_eos continues to the limit", async () => {
    const body = { max_tokens: 40, ignore_eos: true } as Body;
    const reply = await complete("What is 2 + 3?", body);
    expect(reply.choices[0]?.finish_reason).toBe("length");
    expect(reply.usage?.completion_tokens).toBe(40);
  });
});

describe("the model list", () => {
  test("names the built-in model and retrieves it by either name", async () => {
    const list = await client.models.list();
    expect(list.data.map(({ id, object }) => ({ id, object }))).toContainEqual({
      id: "tiny:latest",
      object: "model",
    });
    for (const id of ["tiny", "tiny:latest", "TINY"]) {
      expect(await client.models.retrieve(id)).toMatchObject({ id, object: "model" });
    }
  });

  test("finds names with slashes, plain or escaped", async () => {
    expect(await client.models.retrieve(tinyFile)).toMatchObject({ id: tinyFile });
    const plain = await server.send(`/v1/models/${tinyFile}`);
    expect(plain.json).toMatchObject({ id: tinyFile });
    const unknown = await failure(client.models.retrieve("hub.example/owner/model:q8"));
    expect(unknown).toBeInstanceOf(OpenAI.NotFoundError);
    expect(unknown.message).toContain("not found");
  });

  test("includes a file in a model folder, which answers", async () => {
    const files = readdirSync(path.dirname(tinyFile));
    expect(files).toContain(path.basename(tinyFile));
    expect(await answerTo(capital, { model: tinyFile, temperature: 0 })).toBe(capitalAnswer);
  });
});

describe("errors", () => {
  test("an unknown model throws NotFoundError with the name", async () => {
    const error = await failure(complete("Hello!", { model: "no-such-model" }));
    expect(error).toBeInstanceOf(OpenAI.NotFoundError);
    expect(error).toMatchObject({
      status: 404,
      type: "not_found_error",
      param: "model",
      code: "STORE_MODEL_NOT_FOUND",
    });
    expect(error.message).toContain("model 'no-such-model' not found");
  });

  test("a wrong field throws BadRequestError naming the field", async () => {
    const error = await failure(complete("Hello!", { temperature: 3 }));
    expect(error).toBeInstanceOf(OpenAI.BadRequestError);
    expect(error).toMatchObject({
      status: 400,
      type: "invalid_request_error",
      param: "temperature",
      code: "SERVER_FIELD_INVALID",
    });
  });

  test("a path outside the model folders throws PermissionDeniedError", async () => {
    const error = await failure(complete("Hello!", { model: "/etc/hostname.gguf" }));
    expect(error).toBeInstanceOf(OpenAI.PermissionDeniedError);
    expect(error).toMatchObject({ status: 403, code: "STORE_FILE_NOT_ALLOWED" });
  });

  test("before the first event of a stream has an HTTP status", async () => {
    const tooLong = "word ".repeat(6000);
    const error = await failure(stream(user(tooLong)));
    expect(error).toBeInstanceOf(OpenAI.BadRequestError);
    expect(error).toMatchObject({ status: 400, code: "context_length_exceeded" });
    expect(error.message).toMatch(/\d{4,} tokens .* 4096/);
  });
});
