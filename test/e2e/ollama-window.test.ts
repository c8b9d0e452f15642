// Prompts that exceed the window, and progress records of waiting and prompt evaluation.
import { type ChatResponse, type Message, Ollama } from "ollama";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseLines, recordsOf } from "../support/ndjson.ts";
import { sharedSmallServer } from "../support/shared-server.ts";
import { TestServer } from "../support/test-server.ts";

const model = "tiny";
const user = (content: string) => ({ role: "user", content });

describe("a prompt longer than the window", () => {
  const turns = Array.from({ length: 16 }, (_, index) => [
    user(`What is ${index % 10} + 3?`),
    { role: "assistant", content: `${index % 10} + 3 = ${(index % 10) + 3}` },
  ]).flat();
  const messages: Message[] = [...turns, user("What is the capital of France?")];
  const small = { model, messages, options: { num_ctx: 256 } };
  let own: TestServer;
  let asked: Ollama;

  beforeAll(async () => {
    own = await sharedSmallServer();
    asked = new Ollama({ host: own.url });
  });

  test("is refused by default, with both lengths and the setting to change", async () => {
    for (const truncate of [undefined, false]) {
      const { status, json } = await own.post("/api/chat", { ...small, truncate });
      expect(status).toBe(400);
      expect(json).toMatchObject({
        error: expect.stringMatching(
          /is \d+ tokens long, .* exceeds the context window of 256:.* num_ctx/,
        ),
      });
    }
  });

  test("loses its oldest turns on request, which is reported twice", async () => {
    const body = { ...small, truncate: true };
    const { headers, text } = await own.post("/api/chat", body);
    const records = parseLines(text);
    const answer = records.map(({ message }) => (message as Message).content).join("");
    expect(answer).toBe("The capital of France is Paris.");
    const { truncated, prompt_eval_count: count } = records.at(-1) as {
      truncated: { messages: number; tokens: number };
      prompt_eval_count: number;
    };
    expect(truncated.messages).toBeGreaterThan(0);
    // Whole turns: a question and its answer.
    expect(truncated.messages % 2).toBe(0);
    expect(truncated.tokens).toBeGreaterThan(0);
    expect(count).toBeLessThan(256);
    const said = `messages=${truncated.messages}, tokens=${truncated.tokens}`;
    expect(headers.get("x-modelctl-truncated")).toBe(said);
    const whole = await own.post("/api/chat", { ...body, stream: false });
    expect(whole.json).toMatchObject({ message: { content: answer }, truncated });
    expect(whole.headers.get("x-modelctl-truncated")).toBe(said);
  });

  test("that fits is not changed or reported", async () => {
    const body = { model, messages: messages.slice(-3), truncate: true, shift: true };
    const { headers, json } = await own.post("/api/chat", { ...body, stream: false });
    expect(json).toMatchObject({ message: { content: "The capital of France is Paris." } });
    expect(json).not.toHaveProperty("truncated");
    expect(headers.has("x-modelctl-truncated")).toBe(false);
  });

  test("is refused even so if the last turn alone is too long", async () => {
    const { status } = await own.post("/api/generate", {
      model,
      prompt: "word ".repeat(300),
      truncate: true,
    });
    expect(status).toBe(400);
  });

  test("ends an answer when the window is full, or continues without the oldest turns with shift", async () => {
    const story: Message[] = [...turns.slice(0, 8), user("Write a long story.")];
    const request = { model, messages: story };
    const ended = await asked.chat(request);
    expect(ended.done_reason).toBe("length");
    const { json, headers } = await own.post("/api/chat", {
      ...request,
      shift: true,
      stream: false,
    });
    const shifted = json as ChatResponse & { truncated: { messages: number } };
    expect(shifted.message.content.startsWith(ended.message.content)).toBe(true);
    expect(shifted.message.content.length).toBeGreaterThan(ended.message.content.length);
    expect(shifted.truncated.messages).toBeGreaterThan(0);
    expect(headers.get("x-modelctl-truncated")).toContain(`messages=${shifted.truncated.messages}`);
    const records = await recordsOf(own, "/api/chat", { ...request, shift: true });
    expect(records.map(({ message }) => (message as Message).content).join("")).toBe(
      shifted.message.content,
    );
    expect(records.at(-1)).toMatchObject({ truncated: shifted.truncated });
  });
});

describe("progress", () => {
  let own: TestServer;

  beforeAll(async () => {
    own = await TestServer.start({ num_parallel: 1, prefill_chunk: 64 });
    await own.ask("Hello!");
  });
  afterAll(async () => await own.close());

  test("of reading a long prompt is sent on request, in records without text", async () => {
    const words = Array.from({ length: 600 }, (_, index) => `word ${index}`).join(" ");
    const body = { model, prompt: `${words} Hello!`, options: { num_predict: 1 } };
    const records = await recordsOf(own, "/api/generate", { ...body, progress: true });
    const reading = records.filter(({ status }) => status === "prompt");
    expect(reading.length).toBeGreaterThan(2);
    const steps = reading.map(({ completed }) => Number(completed));
    expect(steps).toEqual(steps.toSorted((one, other) => one - other));
    const final = records.at(-1);
    for (const { response, done, total } of reading) {
      expect([response, done, total]).toEqual(["", false, final?.prompt_eval_count]);
    }
    const silent = await recordsOf(own, "/api/generate", { ...body, system: "Be brief." });
    expect(silent.filter((record) => "status" in record)).toEqual([]);
  });

  test("of waiting has the number of requests ahead", async () => {
    // Makes repeated words likelier, so that the answer continues until the window is full.
    const prompt = "Write a long story.";
    const endless = { model, prompt, options: { temperature: 0, frequency_penalty: -2 } };
    const first = await fetch(`${own.url}/api/generate`, {
      method: "POST",
      body: JSON.stringify(endless),
    });
    const body = JSON.stringify({ model, prompt: "What is 2 + 3?", progress: true });
    const second = await fetch(`${own.url}/api/generate`, { method: "POST", body });
    const id = first.headers.get("x-request-id");
    expect((await own.post("/api/cancel", { id })).status).toBe(200);
    await first.text();
    const [waiting, ...records] = parseLines(await second.text());
    expect(waiting).toMatchObject({
      status: "queued",
      queue_position: expect.any(Number),
      response: "",
      done: false,
    });
    const answer = records.map(({ response }) => response).join("");
    expect(answer).toBe("2 + 3 = 5");
  });
});
