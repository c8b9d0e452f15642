// Older completions of the OpenAI-compatible API: raw prompts, several prompts, log-probabilities.
import type OpenAI from "openai";
import { beforeAll, describe, expect, test } from "vitest";
import { dataOf, failure, openaiClient } from "../support/openai-client.ts";
import { sharedServer } from "../support/shared-server.ts";
import type { TestServer } from "../support/test-server.ts";

let server: TestServer;
let client: OpenAI;

beforeAll(async () => {
  server = await sharedServer();
  client = openaiClient(server);
});

type Body = Partial<OpenAI.CompletionCreateParamsNonStreaming>;

const model = "tiny";
/** Prompt in the model's own format, as nothing is added to it. */
const ask = (question: string) =>
  `<|im_start|>user\n${question}<|im_end|>\n<|im_start|>assistant\n`;
const capital = ask("What is the capital of France?");
const answer = "The capital of France is Paris.";

const create = async (prompt: Body["prompt"], body: Body = {}) =>
  await client.completions.create({ model, prompt: prompt ?? "", ...body });

describe("a prompt of tokens", () => {
  /** Returns a prompt's tokens, which a native answer includes. */
  const tokens = async () => {
    const prompt = "What is the capital of France?";
    const { json } = await server.post("/api/generate", { model, prompt, stream: false });
    const reply = json as { context: number[]; prompt_eval_count: number };
    return reply.context.slice(0, reply.prompt_eval_count);
  };

  test("is used unchanged, alone or among others", async () => {
    const ids = await tokens();
    const reply = await create(ids);
    expect(reply.choices).toMatchObject([{ text: answer, finish_reason: "stop" }]);
    expect(reply.usage?.prompt_tokens).toBe(ids.length);
    const several = await create([ids, ids]);
    expect(several.choices.map(({ text }) => text)).toEqual([answer, answer]);
  });

  test("is echoed as text", async () => {
    const reply = await create(await tokens(), { echo: true });
    expect(reply.choices[0]?.text).toContain("What is the capital of France?");
    expect(reply.choices[0]?.text).toMatch(/The capital of France is Paris\.$/);
  });

  test.each<[unknown, string]>([
    [[1, -1], "prompt.1"],
    [[1, 999_999], "prompt.1"],
    [[[1], [1.5]], "prompt.1.0"],
    [[1, "a"], "prompt.1"],
  ])("refuses %j, which the model does not have", async (prompt, param) => {
    const { status, json } = await server.post("/v1/completions", { model, prompt });
    expect(status).toBe(400);
    expect(json).toMatchObject({ error: { param, message: expect.stringContaining("token") } });
  });

  test("cannot be combined with a suffix", async () => {
    const body = { model: "inserting", prompt: await tokens(), suffix: "!" };
    const { status, json } = await server.post("/v1/completions", body);
    expect(status).toBe(400);
    expect(json).toMatchObject({ error: { code: "SERVER_FIELD_UNSUPPORTED" } });
  });
});

describe("a completion", () => {
  test("continues the prompt unchanged, control tokens included", async () => {
    const reply = await create(capital);
    expect(reply).toMatchObject({
      id: expect.stringMatching(/^cmpl-/),
      object: "text_completion",
      model,
      choices: [{ text: answer, index: 0, logprobs: null, finish_reason: "stop" }],
    });
    const chat = await client.chat.completions.create({
      model,
      messages: [{ role: "user", content: "What is the capital of France?" }],
    });
    expect(reply.usage?.prompt_tokens).toBe(chat.usage?.prompt_tokens);
    expect(reply.usage?.completion_tokens).toBe(chat.usage?.completion_tokens);
  });

  test("applies no template: a bare question is continued", async () => {
    const raw = await create("What is the capital of France?", { max_tokens: 8 });
    const native = await server.post("/api/generate", {
      model,
      prompt: "What is the capital of France?",
      raw: true,
      stream: false,
      options: { num_predict: 8 },
    });
    expect(raw.choices[0]?.text).toBe((native.json as { response: string }).response);
  });

  test("without a limit ends where the model ends it, not after 16 tokens", async () => {
    const reply = await create(ask("Count from 1 to 20."));
    expect(reply.choices[0]).toMatchObject({ finish_reason: "stop" });
    expect(reply.choices[0]?.text).toMatch(/^1, 2, .*, 20$/);
  });

  test("stops at the limit and at stop texts", async () => {
    const cut = await create(capital, { max_tokens: 2 });
    expect(cut.choices[0]?.finish_reason).toBe("length");
    expect(cut.usage?.completion_tokens).toBe(2);
    const stopped = await create(capital, { stop: "France" });
    expect(stopped.choices[0]).toMatchObject({ text: "The capital of ", finish_reason: "stop" });
  });

  test("streams its pieces, its end, and the usage on request", async () => {
    const { text } = await server.post("/v1/completions", {
      model,
      prompt: capital,
      stream: true,
      stream_options: { include_usage: true },
    });
    const data = dataOf(text);
    expect(data.pop()).toBe("[DONE]");
    const last = data.pop();
    expect(last).toMatchObject({ choices: [], usage: { prompt_tokens: expect.any(Number) } });
    const choices = (data as OpenAI.Completion[]).map(({ choices: [choice] }) => choice);
    expect(choices.map((choice) => choice?.text).join("")).toBe(answer);
    expect(choices.map((choice) => choice?.finish_reason)).toEqual([
      ...Array(choices.length - 1).fill(null),
      "stop",
    ]);
    expect(data.every((chunk) => !(chunk as OpenAI.Completion).usage)).toBe(true);
  });

  test("is streamed by the library", async () => {
    const texts: string[] = [];
    const stream = await client.completions.create({ model, prompt: capital, stream: true });
    for await (const chunk of stream) texts.push(chunk.choices[0]?.text ?? "");
    expect(texts.join("")).toBe(answer);
  });

  test("echoes the prompt on request", async () => {
    const reply = await create(capital, { echo: true });
    expect(reply.choices[0]?.text).toBe(capital + answer);
    const { text } = await server.post("/v1/completions", {
      model,
      prompt: capital,
      echo: true,
      stream: true,
    });
    const data = dataOf(text).slice(0, -1) as OpenAI.Completion[];
    expect(data.map(({ choices: [choice] }) => choice?.text).join("")).toBe(capital + answer);
  });

  test("fills in before a suffix if the model's template can", async () => {
    const reply = await create("seven green", { model: "inserting", suffix: "apple stone" });
    expect(reply.choices[0]?.text).toBe("seven green apple stone");
    const error = await failure(create("seven green", { suffix: "apple stone" }));
    expect(error).toMatchObject({ status: 400, param: "suffix" });
    expect(error.message).toContain("does not support insert");
  });
});

describe("several prompts", () => {
  test("are answered in order, n times each", async () => {
    const prompts = [capital, ask("What is 2 + 3?")];
    const reply = await create(prompts, { n: 2 });
    expect(reply.choices.map(({ index, text }) => [index, text])).toEqual([
      [0, answer],
      [1, answer],
      [2, "2 + 3 = 5"],
      [3, "2 + 3 = 5"],
    ]);
    const [one, two] = [await create(prompts[0]), await create(prompts[1])];
    const sum = (field: "prompt_tokens" | "completion_tokens") =>
      (one.usage?.[field] ?? 0) + (two.usage?.[field] ?? 0);
    expect(reply.usage?.prompt_tokens).toBe(sum("prompt_tokens"));
    expect(reply.usage?.completion_tokens).toBe(2 * sum("completion_tokens"));
  });

  test("are streamed in parallel", async () => {
    const { text } = await server.post("/v1/completions", {
      model,
      prompt: [capital, ask("What is 2 + 3?")],
      stream: true,
    });
    const texts = ["", ""];
    for (const chunk of dataOf(text).slice(0, -1) as OpenAI.Completion[]) {
      for (const choice of chunk.choices) texts[choice.index] += choice.text;
    }
    expect(texts).toEqual([answer, "2 + 3 = 5"]);
  });

  test("are limited to 64", async () => {
    const error = await failure(create(Array(9).fill(capital), { n: 8 }));
    expect(error).toMatchObject({ status: 400, param: "prompt" });
  });
});

describe("log-probabilities", () => {
  test("come as parallel lists with the offset of each token", async () => {
    const reply = await create(capital, { logprobs: 3 });
    const lists = reply.choices[0]?.logprobs;
    expect(lists?.tokens?.join("")).toBe(answer);
    const tokens = lists?.tokens ?? [];
    let offset = 0;
    const offsets = tokens.map((token) => {
      const own = offset;
      offset += token.length;
      return own;
    });
    expect(lists?.text_offset).toEqual(offsets);
    for (const [index, top] of (lists?.top_logprobs ?? []).entries()) {
      expect(Object.keys(top).length).toBeGreaterThanOrEqual(3);
      expect(top[tokens[index] ?? ""]).toBe(lists?.token_logprobs?.[index]);
    }
    expect(lists?.top_logprobs).toHaveLength(tokens.length);
  });

  test("are the same in a stream", async () => {
    const whole = (await create(capital, { logprobs: 2 })).choices[0]?.logprobs;
    const { text } = await server.post("/v1/completions", {
      model,
      prompt: capital,
      logprobs: 2,
      stream: true,
    });
    const parts = (dataOf(text).slice(0, -1) as OpenAI.Completion[]).map(
      ({ choices: [choice] }) => choice?.logprobs,
    );
    expect(parts.flatMap((part) => part?.tokens ?? [])).toEqual(whole?.tokens);
    expect(parts.flatMap((part) => part?.token_logprobs ?? [])).toEqual(whole?.token_logprobs);
    expect(parts.flatMap((part) => part?.text_offset ?? [])).toEqual(whole?.text_offset);
    expect(parts.flatMap((part) => part?.top_logprobs ?? [])).toEqual(whole?.top_logprobs);
  });

  test("with 0 list only the chosen tokens", async () => {
    const lists = (await create(capital, { logprobs: 0 })).choices[0]?.logprobs;
    expect(lists?.tokens?.join("")).toBe(answer);
    expect(lists?.top_logprobs).toBeNull();
  });
});

describe("invalid requests", () => {
  test.each<[string, Record<string, unknown>, string]>([
    ["no prompt", {}, "prompt"],
    ["an empty prompt, which would only load the model", { prompt: "" }, "prompt"],
    ["an empty list", { prompt: [] }, "prompt"],
    ["an empty text in a list", { prompt: ["a", ""] }, "prompt.1"],
    ["a wrong item", { prompt: ["a", {}] }, "prompt.1"],
    ["ranked answers", { prompt: "a", best_of: 3 }, "best_of"],
    ["the prompt's log-probabilities", { prompt: "a", echo: true, logprobs: 1 }, "echo"],
    ["more alternatives than there can be", { prompt: "a", logprobs: 21 }, "logprobs"],
    ["no room for an answer", { prompt: "a", max_tokens: 0 }, "max_tokens"],
  ])("refuse %s", async (_what, body, param) => {
    const { status, json } = await server.post("/v1/completions", { model, ...body });
    expect(status).toBe(400);
    expect(json).toEqual({
      error: {
        message: expect.stringMatching(/./),
        type: "invalid_request_error",
        param,
        code: expect.stringMatching(/^SERVER_FIELD_/),
      },
    });
  });
});
