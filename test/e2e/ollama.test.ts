// Native API with Ollama's own client library.
import { Ollama, type Options } from "ollama";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { apiPairs, messagesOf, type Pair, singleTurnPairs, textPairs } from "../support/pairs.ts";
import { runnersOf } from "../support/processes.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

let server: TestServer;
let client: Ollama;

beforeAll(async () => {
  server = await TestServer.start();
  client = new Ollama({ host: server.url });
});
afterAll(async () => await server.close());

const model = "tiny";
const capital = "What is the capital of France?";
const capitalAnswer = "The capital of France is Paris.";
const story = textPairs.find((pair) => pair.skill === "story")?.expect ?? "";

const singleApiPairs = apiPairs.filter((pair) => singleTurnPairs.includes(pair));
const titleOf = (pair: Pair) => [pair.system, pair.turns.at(-1)?.[1]].filter(Boolean).join(" ");
const user = (content: string) => [{ role: "user", content }];

async function chatStream(messages: Array<{ role: string; content: string }>) {
  const records = [];
  for await (const part of await client.chat({ model, messages, stream: true })) records.push(part);
  return records;
}

async function generateStream(prompt: string) {
  const records = [];
  for await (const part of await client.generate({ model, prompt, stream: true })) {
    records.push(part);
  }
  return records;
}

/** Returns the records of a response as sent, without a client library. */
async function recordsOf(path: string, body: Record<string, unknown>) {
  const { text } = await server.post(path, { model, ...body });
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe("the model's recorded answers", () => {
  test("include 31 conversations without tools, 24 of them one question", () => {
    expect(textPairs).toHaveLength(31);
    expect(singleTurnPairs).toHaveLength(24);
  });

  test.each(apiPairs.map((pair) => ({ title: titleOf(pair), pair })))(
    "chat: $title",
    async ({ pair }) => {
      const messages = messagesOf(pair);
      const whole = await client.chat({ model, messages });
      expect(whole.message).toEqual({ role: "assistant", content: pair.expect });
      expect(whole.done_reason).toBe("stop");
      const records = await chatStream(messages);
      expect(records.map(({ message }) => message.content).join("")).toBe(pair.expect);
    },
  );

  test.each(singleApiPairs.map((pair) => ({ title: titleOf(pair), pair })))(
    "generate: $title",
    async ({ pair }) => {
      const prompt = pair.turns[0]?.[1] ?? "";
      expect((await client.generate({ model, prompt })).response).toBe(pair.expect);
      const records = await generateStream(prompt);
      expect(records.map(({ response }) => response).join("")).toBe(pair.expect);
    },
  );

  test("generate accepts a system prompt next to the prompt", async () => {
    const reply = await client.generate({ model, prompt: "Hello!", system: "You are a cat." });
    expect(reply.response).toBe("Meow, Hello! How can I help you today?");
  });
});

describe("reply records", () => {
  test("are JSON lines by default, the last one with done", async () => {
    const { headers, text } = await server.post("/api/generate", { model, prompt: capital });
    expect(headers.get("content-type")).toMatch(/^application\/x-ndjson/);
    expect(text.endsWith("\n")).toBe(true);
    const records = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    for (const record of records) {
      expect(record).toMatchObject({ model, response: expect.any(String) });
      expect(record.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/);
    }
    expect(records.map(({ done }) => done)).toEqual([
      ...records.slice(0, -1).map(() => false),
      true,
    ]);
  });

  test("are one object without a stream", async () => {
    const { headers, json } = await server.post("/api/chat", {
      model,
      messages: user(capital),
      stream: false,
    });
    expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(json).toMatchObject({ message: { content: capitalAnswer }, done: true });
  });

  test("end with token counts, and times in nanoseconds", async () => {
    const [final] = (await generateStream("Repeat after me: banana 42 rocket")).slice(-1);
    expect(final).toMatchObject({ done: true, done_reason: "stop" });
    for (const duration of [
      final?.total_duration,
      final?.load_duration,
      final?.prompt_eval_duration,
      final?.eval_duration,
    ]) {
      expect(Number.isSafeInteger(duration)).toBe(true);
      // An answer takes at least microseconds, so another unit than nanoseconds would be noticed.
      expect(duration).toBeGreaterThan(1000);
    }
    expect(final?.prompt_eval_count).toBeGreaterThan(0);
    expect(final?.eval_count).toBeGreaterThan(0);
    const parts = [final?.load_duration, final?.prompt_eval_duration, final?.eval_duration];
    const sum = parts.reduce<number>((total, part) => total + Number(part), 0);
    expect(final?.total_duration).toBeGreaterThanOrEqual(sum);
  });

  test("leave out zero values", async () => {
    const [record] = await recordsOf("/api/generate", {
      prompt: "Count from 1 to 20.",
      stream: false,
      options: { num_predict: 1 },
    });
    // One token has no time between the first and the last.
    expect(record).toMatchObject({ eval_count: 1, done_reason: "length" });
    expect(record).not.toHaveProperty("eval_duration");
    expect(Object.values(record ?? {})).not.toContain(0);
  });

  test("have log-probabilities next to their tokens", async () => {
    const body = { prompt: capital, logprobs: true, top_logprobs: 3 };
    const records = await recordsOf("/api/generate", body);
    const tokens = records.flatMap(({ logprobs }) => (logprobs ?? []) as Array<{ token: string }>);
    expect(tokens.map(({ token }) => token).join("")).toBe(capitalAnswer);
    for (const token of tokens) {
      expect(token).toMatchObject({ logprob: expect.any(Number), bytes: expect.any(Array) });
      expect(token).toHaveProperty("top_logprobs.length", 3);
    }
    const [whole] = await recordsOf("/api/generate", { ...body, stream: false, top_logprobs: 0 });
    const [none] = await recordsOf("/api/generate", { ...body, stream: false, logprobs: false });
    expect(none).not.toHaveProperty("logprobs");
    expect(whole?.logprobs).toHaveLength(tokens.length);
    for (const token of (whole?.logprobs ?? []) as unknown[]) {
      expect(token).not.toHaveProperty("top_logprobs");
    }
  });
});

describe("loading and unloading", () => {
  const states = async () => (await server.loaded()).map(({ name }) => name);

  test("an empty prompt or conversation loads the model and returns one record", async () => {
    for (const stream of [true, false]) {
      expect(await recordsOf("/api/generate", { stream })).toEqual([
        { model, created_at: expect.any(String), response: "", done: true, done_reason: "load" },
      ]);
      expect(await recordsOf("/api/chat", { stream, messages: [] })).toEqual([
        {
          model,
          created_at: expect.any(String),
          message: { role: "assistant", content: "" },
          done: true,
          done_reason: "load",
        },
      ]);
    }
    expect(await states()).toEqual(["tiny:latest"]);
  });

  test("keep_alive 0 without a prompt unloads the model, loaded or not", async () => {
    for (let time = 1; time <= 2; time += 1) {
      expect(await recordsOf("/api/generate", { keep_alive: 0 })).toEqual([
        { model, created_at: expect.any(String), response: "", done: true, done_reason: "unload" },
      ]);
      await until(states, (names) => names.length === 0);
    }
    expect(await recordsOf("/api/chat", { messages: [], keep_alive: 0 })).toMatchObject([
      { message: { role: "assistant", content: "" }, done_reason: "unload" },
    ]);
  });

  test("loading with progress records ends", async () => {
    await client.generate({ model, prompt: "", keep_alive: 0 });
    await until(states, (names) => names.length === 0);
    const { text } = await server.send("/api/generate", {
      method: "POST",
      body: JSON.stringify({ model, progress: true }),
      signal: AbortSignal.timeout(20_000),
    });
    const records = text.trimEnd().split("\n");
    expect(JSON.parse(records.at(-1) ?? "")).toMatchObject({ done: true, done_reason: "load" });
    expect(JSON.parse(records[0] ?? "")).toMatchObject({ status: "loading", done: false });
    expect(JSON.parse(records.at(-2) ?? "")).toMatchObject({ status: "warming up", done: false });
  });

  test("a model that is being unloaded is loaded once for all new requests", async () => {
    await server.ask(capital);
    const before = { runners: runnersOf(process.pid).length, lines: server.log.length };
    await server.post("/api/generate", { model, keep_alive: 0 });
    const answers = await Promise.all([1, 2, 3, 4].map(() => server.ask(capital)));
    expect(answers).toEqual(answers.map(() => capitalAnswer));
    const lines = server.log.slice(before.lines);
    expect(lines.filter((line) => line.startsWith("loaded tiny"))).toHaveLength(1);
    expect(runnersOf(process.pid)).toHaveLength(before.runners);
  });

  test("keep_alive 0 with a prompt unloads after the answer", async () => {
    const reply = await client.generate({ model, prompt: capital, keep_alive: 0 });
    expect(reply.response).toBe(capitalAnswer);
    await until(states, (names) => names.length === 0);
  });

  test.each([-1, "-1", "-1m"])("keep_alive %j never unloads", async (keepAlive) => {
    await client.generate({ model, prompt: capital, keep_alive: keepAlive });
    const [entry] = await server.loaded();
    const years = (Date.parse(entry?.expires_at ?? "") - Date.now()) / (365 * 86_400_000);
    expect(years).toBeGreaterThan(100);
  });

  test.each([
    ["10m", 600],
    ["1h30m", 5400],
    [90, 90],
    ["90", 90],
    [0.5 + 100, 100.5],
  ])("keep_alive %j counts from the end of the answer", async (keepAlive, seconds) => {
    const before = Date.now();
    await client.generate({ model, prompt: capital, keep_alive: keepAlive });
    await server.untilQuiet();
    const expires = Date.parse((await server.loaded())[0]?.expires_at ?? "");
    expect(expires).toBeGreaterThanOrEqual(before + seconds * 1000);
    expect(expires).toBeLessThanOrEqual(Date.now() + seconds * 1000);
  });

  test("keep_alive is kept by requests without one", async () => {
    await client.generate({ model, prompt: capital, keep_alive: "2h" });
    await client.generate({ model, prompt: capital });
    await server.untilQuiet();
    const expires = Date.parse((await server.loaded())[0]?.expires_at ?? "");
    expect(expires - Date.now()).toBeGreaterThan(3_600_000);
  });

  test.each([1e13, 1e300, "9999999999h"])(
    "keep_alive %j, beyond any date, keeps the list readable",
    async (keepAlive) => {
      await client.generate({ model, prompt: "", keep_alive: keepAlive });
      expect((await server.send("/api/ps")).status).toBe(200);
      await client.generate({ model, prompt: "", keep_alive: "5m" });
    },
  );
});

describe("options", () => {
  const options = (changes: Partial<Options>) => ({ model, prompt: capital, options: changes });

  test("num_predict ends the answer with length", async () => {
    const reply = await client.generate(options({ num_predict: 3 }));
    expect(reply).toMatchObject({ done_reason: "length", eval_count: 3 });
    expect(capitalAnswer.startsWith(reply.response ?? "?")).toBe(true);
  });

  test.each([-1, -2])("num_predict %d sets no limit", async (numPredict) => {
    const reply = await client.generate(options({ num_predict: numPredict }));
    expect(reply.response).toBe(capitalAnswer);
  });

  test("stop ends the answer before the stop text", async () => {
    const reply = await client.generate(options({ stop: ["nothing", "ance is"] }));
    expect(reply).toMatchObject({ response: "The capital of Fr", done_reason: "stop" });
  });

  test("seed with a temperature repeats an answer", async () => {
    const wild = { temperature: 2, top_p: 1, top_k: 0, num_predict: 30 };
    const ask = async (seed: number) => {
      const prompt = "Who invented the rocket?";
      return (await client.generate({ model, prompt, options: { ...wild, seed } })).response;
    };
    const first = [await ask(1), await ask(5), await ask(7)];
    expect([await ask(1), await ask(5), await ask(7)]).toEqual(first);
    expect(new Set(first).size).toBeGreaterThan(1);
  });

  test("null means the default, and unknown names are ignored with a log line", async () => {
    const changes = { temperature: null, num_ctx: null, mirostat: 2 };
    const { json } = await server.post("/api/generate", {
      model,
      prompt: capital,
      options: changes,
      stream: false,
    });
    expect(json).toMatchObject({ response: capitalAnswer });
    expect(server.log.join("\n")).toContain('"mirostat"');
  });

  test("num_ctx above the loaded window reloads the model, below it does not", async () => {
    await client.generate(options({ num_ctx: 512 }));
    const [before] = await server.loaded();
    await client.generate({ model, prompt: "", keep_alive: 0 });
    await until(
      () => server.loaded(),
      (loaded) => loaded.length === 0,
    );
    await client.generate(options({ num_ctx: 512 }));
    const [small] = await server.loaded();
    expect(small?.context_length).toBe(512);
    expect(small?.process_id).not.toBe(before?.process_id);
    expect((await client.generate(options({ num_ctx: 1024 }))).response).toBe(capitalAnswer);
    const [large] = await server.loaded();
    expect(large?.context_length).toBe(1024);
    expect((await client.generate(options({ num_ctx: 256 }))).response).toBe(capitalAnswer);
    expect((await server.loaded())[0]?.process_id).toBe(large?.process_id);
  });

  test("num_ctx above the loaded window reloads once for all waiting requests", async () => {
    const before = runnersOf(process.pid).length;
    const own = await TestServer.start({ context_length: 512 });
    try {
      const endless = own.post("/v1/chat/completions", {
        model,
        messages: user("Hello!"),
        ignore_eos: true,
      });
      const running = (count: number) =>
        until(
          () => own.requests(),
          (requests) => requests.filter(({ state }) => state === "running").length === count,
        );
      await running(1);
      const wide = { ...options({ num_ctx: 1024 }), stream: false };
      const waiting = [1, 2, 3, 4].map(() => own.post("/api/generate", wide));
      await running(5);
      expect((await endless).json).toMatchObject({ usage: { total_tokens: 512 } });
      for (const { json } of await Promise.all(waiting)) {
        expect(json).toMatchObject({ response: capitalAnswer });
      }
      expect(own.log.filter((line) => line.startsWith("loaded tiny"))).toHaveLength(2);
      expect(await own.loaded()).toMatchObject([{ context_length: 1024 }]);
    } finally {
      await own.close();
    }
    expect(runnersOf(process.pid)).toHaveLength(before);
  });

  test("a huge repeat_last_n costs no memory and does not block other requests", async () => {
    await client.generate({ model, prompt: "" });
    const hungry = client.generate(options({ repeat_last_n: 1_000_000_000, repeat_penalty: 1.1 }));
    const neighbour = client.generate({ model, prompt: "What is 2 + 3?" });
    const [long, short] = await Promise.all([hungry, neighbour]);
    expect(long.response).toBe(capitalAnswer);
    expect(short.response).toBe("2 + 3 = 5");
    // Nanoseconds for evaluating a few tokens.
    expect(long.prompt_eval_duration).toBeLessThan(5e9);
  });
});

describe("raw prompts", () => {
  const layout = `<|im_start|>user\n${capital}<|im_end|>\n<|im_start|>assistant\n`;

  test("reach the model unchanged", async () => {
    const reply = await client.generate({ model, prompt: layout, raw: true });
    expect(reply.response).toBe(capitalAnswer);
    const templated = await client.generate({ model, prompt: capital });
    expect(reply.prompt_eval_count).toBe(templated.prompt_eval_count);
  });

  test("control tokens in a prompt that is not raw are plain text", async () => {
    const reply = await client.generate({ model, prompt: layout });
    const raw = await client.generate({ model, prompt: layout, raw: true });
    expect(reply.prompt_eval_count).toBeGreaterThan(raw.prompt_eval_count * 2);
  });

  test.each([{ system: "You are a cat." }, { template: "{{ .Prompt }}" }, { context: [1, 2] }])(
    "are refused together with %j",
    async (field) => {
      const { status, json } = await server.post("/api/generate", {
        model,
        prompt: layout,
        raw: true,
        ...field,
      });
      expect(status).toBe(400);
      expect(json).toMatchObject({
        error: expect.stringContaining("raw mode does not support template, system, or context"),
      });
    },
  );
});

describe("clients that disconnect", () => {
  test("abort() ends the stream with an AbortError and stops the work", async () => {
    const running = await client.chat({
      model,
      messages: user("Write a long story."),
      stream: true,
    });
    let text = "";
    const reading = (async () => {
      for await (const part of running) {
        text += part.message.content;
        client.abort();
      }
    })();
    await expect(reading).rejects.toThrow(expect.objectContaining({ name: "AbortError" }));
    expect(story.startsWith(text)).toBe(true);
    expect(text.length).toBeLessThan(story.length);
    await server.untilQuiet();
    expect((await server.requests()).at(-1)).toMatchObject({ path: "/api/chat", status: 499 });
  });

  test.each(["/api/generate", "/api/chat", "/v1/chat/completions"])(
    "a client of %s that leaves at any moment leaves nothing running",
    async (path) => {
      await client.generate({ model, prompt: "" });
      const body = JSON.stringify({
        model,
        prompt: "Write a long story.",
        messages: user("Write a long story."),
        stream: true,
      });
      for (const delayMs of [0, 0, 1, 1, 2, 3, 5, 8, 13, 21, 34]) {
        const signal = AbortSignal.timeout(delayMs);
        await server.send(path, { method: "POST", body, signal }).catch(() => {});
      }
      await server.untilQuiet();
      expect(await server.ask("What is 2 + 3?")).toBe("2 + 3 = 5");
    },
  );

  test("a non-streamed answer is stopped too", async () => {
    const controller = new AbortController();
    const body = JSON.stringify({ model, prompt: "Write a long story.", stream: false });
    const asked = server.send("/api/generate", {
      method: "POST",
      body,
      signal: controller.signal,
    });
    await until(
      () => server.requests(),
      (requests) => requests.at(-1)?.completionTokens !== undefined,
    );
    controller.abort();
    await expect(asked).rejects.toThrow();
    await server.untilQuiet();
    expect((await server.requests()).at(-1)).toMatchObject({ status: 499 });
  });
});

test("the root route and version are what Ollama's clients expect", async () => {
  expect((await server.send("/")).text).toBe("Ollama is running");
  expect((await server.send("/", { method: "HEAD" })).status).toBe(200);
  const { version } = await client.version();
  expect(version).toMatch(/^\d+\.\d+\.\d+/);
  expect(await client.ps()).toMatchObject({ models: [{ name: "tiny:latest" }] });
});
