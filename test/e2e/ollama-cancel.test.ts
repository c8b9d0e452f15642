// POST /api/cancel: ends a request by its id in any state, with a valid response.
import { type ChatResponse, Ollama } from "ollama";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { RequestRecord } from "../../source/request-log/request-record.ts";
import { parseLines } from "../support/ndjson.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

let server: TestServer;

beforeAll(async () => {
  server = await TestServer.start({ num_parallel: 1 });
  await server.ask("Hello!");
});
afterAll(async () => await server.close());
// Runs after each case: no slot is lost.
afterEach(async () => {
  await server.untilQuiet();
  expect(server.hosted.scheduler.models.every(({ users }) => users === 0)).toBe(true);
  expect(await server.ask("What is 2 + 3?")).toBe("2 + 3 = 5");
});

const model = "tiny";
// Takes seconds, however fast the model is.
const endless = {
  model,
  prompt: "Write a long story.",
  messages: [{ role: "user", content: "Write a long story." }],
  format: { type: "array", items: { type: "integer" }, minItems: 300 },
  options: { temperature: 0 },
};

const cancel = async (id: string | null | undefined) => await server.post("/api/cancel", { id });

/** Returns the last request in the log, once it matches. */
async function lastRequest(isWanted: (record: RequestRecord) => boolean): Promise<RequestRecord> {
  const found = await until(
    async () => (await server.requests()).findLast(({ path }) => path !== "/api/cancel"),
    (record) => record !== undefined && isWanted(record),
  );
  if (found === undefined) throw new Error("there is no request");
  return found;
}

const isAnswering = ({ completionTokens, state }: RequestRecord) =>
  state === "running" && completionTokens !== undefined;

test("every reply has the id of its request", async () => {
  const { headers } = await server.post("/api/generate", { model, prompt: "Hello!" });
  const { id } = await lastRequest(({ state }) => state === "done");
  expect(headers.get("x-request-id")).toBe(id);
  const failed = await server.post("/api/chat", { model: "nobody" });
  expect(failed.headers.get("x-request-id")).toBe((await lastRequest(() => true)).id);
  expect(id).not.toBe(failed.headers.get("x-request-id"));
});

describe("a cancelled stream", () => {
  test.each(["/api/generate", "/api/chat"])(
    "of %s ends with a final record that says so",
    async (path) => {
      const asked = fetch(server.url + path, {
        method: "POST",
        body: JSON.stringify({ ...endless, logprobs: true }),
      });
      const reply = await asked;
      const id = reply.headers.get("x-request-id");
      await lastRequest((record) => record.id === id && isAnswering(record));
      expect((await cancel(id)).json).toEqual({ id, status: "cancelled" });
      const records = parseLines(await reply.text());
      expect(records.length).toBeGreaterThan(1);
      expect(records.at(-1)).toMatchObject({
        model,
        done: true,
        done_reason: "cancelled",
        eval_count: expect.any(Number),
      });
      expect(records.slice(0, -1).every(({ done }) => done === false)).toBe(true);
      const record = await lastRequest(({ state }) => state !== "running");
      expect(record).toMatchObject({ id, state: "cancelled", finishReason: "cancelled" });
    },
  );

  test("is a complete, shorter answer for Ollama's client", async () => {
    const client = new Ollama({ host: server.url });
    const records: ChatResponse[] = [];
    for await (const record of await client.chat({
      ...endless,
      stream: true,
    })) {
      if (records.length === 0) await cancel((await lastRequest(isAnswering)).id);
      records.push(record);
    }
    expect(records.at(-1)).toMatchObject({ done: true, done_reason: "cancelled" });
  });
});

describe("a cancelled reply that has not started", () => {
  test.each(["/api/generate", "/api/chat"])("of %s fails with 499", async (path) => {
    const asked = server.post(path, { ...endless, stream: false });
    const { id } = await lastRequest(isAnswering);
    await cancel(id);
    const { status, json, headers } = await asked;
    expect(status).toBe(499);
    expect(json).toEqual({ error: "request canceled", code: "ENGINE_CANCELLED" });
    expect(headers.get("content-type")).toMatch(/^application\/json/);
    expect(await lastRequest(({ state }) => state !== "running")).toMatchObject({
      id,
      state: "cancelled",
    });
  });

  test("fails while queued, and the running request continues", async () => {
    const first = server.post("/api/generate", endless);
    const running = await lastRequest(isAnswering);
    const second = server.post("/api/generate", endless);
    const waiting = await lastRequest(({ id }) => id !== running.id);
    await cancel(waiting.id);
    expect((await second).status).toBe(499);
    const still = (await server.requests()).find(({ id }) => id === running.id);
    expect(still?.state).toBe("running");
    await cancel(running.id);
    expect((await first).status).toBe(200);
  });

  test("fails while its model is loading, or ends the progress stream", async () => {
    for (const progress of [false, true]) {
      await server.post("/api/generate", { model, keep_alive: 0 });
      await until(
        () => server.loaded(),
        (loaded) => loaded.length === 0,
      );
      const asked = server.post("/api/generate", { ...endless, progress });
      const { id } = await lastRequest(({ state }) => state === "running");
      await cancel(id);
      const { status, text } = await asked;
      const last = parseLines(text).at(-1);
      if (status === 499) expect(last).toMatchObject({ code: "ENGINE_CANCELLED" });
      else expect([status, last?.done_reason]).toEqual([200, "cancelled"]);
    }
  });
});

describe("nothing is cancelled", () => {
  test.each(["", "r-nothing", "__proto__", "x".repeat(10_000)])(
    "by the unknown id %.20j",
    async (id) => {
      const { status, json } = await cancel(id);
      expect(status).toBe(404);
      expect(json).toMatchObject({ error: expect.stringContaining("not found") });
    },
  );

  test("by the id of a finished request", async () => {
    const { headers } = await server.post("/api/generate", { model, prompt: "Hello!" });
    await server.untilQuiet();
    expect((await cancel(headers.get("x-request-id"))).status).toBe(404);
  });

  test.each([undefined, null, 1, {}, ["r-1"]])("by %j", async (id) => {
    const { status, json } = await server.post("/api/cancel", { id });
    expect(status).toBe(400);
    expect(json).toMatchObject({ error: expect.stringContaining("id") });
  });
});
