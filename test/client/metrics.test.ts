// Goal: metrics and requests of the server arrive typed and live.
// Method: a real server with the tiny model, asked by the typed client.

import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { ApiClient } from "../../source/client/api-client.ts";
import { followMetrics, readSample, type ServerSample } from "../../source/client/metrics.ts";
import {
  cancelRequest,
  followRequestRecords,
  isRequestRecord,
  requestTexts,
} from "../../source/client/requests.ts";
import type { RequestRecord } from "../../source/request-log/request-record.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

let server: TestServer;
let client: ApiClient;

beforeAll(async () => {
  server = await TestServer.start({ log_prompts: true });
  client = new ApiClient({ url: server.url, ownerToken: server.hosted.ownerToken });
});

afterAll(() => server.close());

test("samples of machine and models arrive every second until the reader stops", async () => {
  await server.ask("Hi");
  const leave = new AbortController();
  const samples: ServerSample[] = [];
  for await (const sample of followMetrics(client, leave.signal)) {
    samples.push(sample);
    if (samples.length === 2) break;
  }
  const [first, second] = samples;
  expect(first?.memoryTotalBytes).toBeGreaterThan(first?.memoryUsedBytes ?? Infinity);
  expect(first?.models).toEqual([
    expect.objectContaining({
      name: "tiny",
      state: "idle",
      slots: 4,
      contextLength: 4096,
      cacheType: "f16",
      loadFraction: 1,
    }),
  ]);
  expect(first?.models[0]?.cacheBytes).toBeGreaterThan(1_000_000);
  expect(first?.models[0]?.expiresAt).toBeGreaterThan(Date.now());
  expect((second?.uptimeMs ?? 0) - (first?.uptimeMs ?? 0)).toBeGreaterThan(0);
});

test("a model loaded under another name counts as loaded", async () => {
  const names = ["facts-first", "facts-second"] as const;
  const [first, second] = names;
  onTestFinished(async () => {
    for (const model of names) {
      await server.send("/api/delete", { method: "DELETE", body: JSON.stringify({ model }) });
    }
  });
  await server.post("/api/copy", { source: "tiny", destination: first });
  await server.ask("Hi", first);
  await server.post("/api/copy", { source: first, destination: second });
  const facts = await client.modelFacts(second);
  expect(facts).toMatchObject({ name: second, loadedAs: `${first}:latest`, contextLength: 4096 });
});

test("missing values of a sample are empty", () => {
  expect(readSample({})).toMatchObject({ cpuLoad: 0, gpus: [], models: [], waiting: 0 });
  expect(readSample({ gpus: [{ name: "A", load: null }] }).gpus).toEqual([
    expect.objectContaining({ name: "A", load: undefined, temperatureCelsius: undefined }),
  ]);
});

test("a record changes from running to done, and its texts can be read", async () => {
  const seen: RequestRecord[] = [];
  const leave = new AbortController();
  const following = (async () => {
    for await (const view of followRequestRecords(client, {}, leave.signal)) seen.push(view);
  })();
  const body = { model: "tiny", prompt: "What is 2 + 3?", stream: false };
  const askedAt = Date.now();
  await server.post("/api/generate", body);
  const last = await until(
    () => seen.findLast(({ startedAt, state }) => startedAt >= askedAt && state === "done"),
    (view) => view?.status === 200,
  );
  leave.abort();
  await expect(following).rejects.toThrow();
  expect(last).toMatchObject({ model: "tiny", stream: false, client: { address: "127.0.0.1" } });
  const texts = await requestTexts(client, last?.id ?? "");
  expect(texts.prompt).toContain("What is 2 + 3?");
  expect(texts.answer).toContain("5");
  expect(JSON.parse(texts.body ?? "")).toEqual(body);
  await expect(cancelRequest(client, last?.id ?? "")).rejects.toThrow("it has ended");
});

test("a body with a secret or an image is not kept for replay", async () => {
  const prompt = `my key is sk-proj-${"a".repeat(30)}`;
  const options = { num_predict: 3 };
  await server.post("/api/generate", { model: "tiny", prompt, stream: false, options });
  const record = (await server.requests()).at(-1);
  const texts = await requestTexts(client, record?.id ?? "");
  expect(texts.body).toBeUndefined();
  expect(texts.prompt).toContain("sk-…[secret]");
});

test("an invalid record is ignored", () => {
  expect(isRequestRecord({ id: "r-1" })).toBe(false);
  expect(isRequestRecord("text")).toBe(false);
});

test("a request is replayed as it was, and read to its end", async () => {
  const signal = new AbortController().signal;
  const generate = { method: "POST", path: "/api/generate" } as const;
  const body = { model: "tiny", prompt: "Hi" };
  expect(await client.send({ ...generate, body }, signal)).toBe(200);
  expect(await client.send({ ...generate, body: { model: "nope", prompt: "Hi" } }, signal)).toBe(
    404,
  );
  expect(await client.send({ method: "GET", path: "/v1/models", body: undefined }, signal)).toBe(
    200,
  );
});
