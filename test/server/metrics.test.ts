// Metrics over HTTP, for scrapers and screens, from real answers.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { MachineSample } from "../../source/metrics/machine-monitor.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(async () => await server.close());

/** Values by name with labels, as printed. */
async function scrape(): Promise<Map<string, number>> {
  const { text } = await server.send("/metrics");
  return new Map(
    text
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"))
      .map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))]),
  );
}

/** Returns the increase of each value during some work. */
async function addedBy(work: () => Promise<unknown>): Promise<(name: string) => number> {
  const before = await scrape();
  await work();
  await server.untilQuiet();
  const after = await scrape();
  return (name) => (after.get(`modelctl_${name}`) ?? 0) - (before.get(`modelctl_${name}`) ?? 0);
}

test("is readable by Prometheus", async () => {
  const { headers, status } = await server.send("/metrics");
  expect([status, headers.get("content-type")]).toEqual([
    200,
    "text/plain; version=0.0.4; charset=utf-8",
  ]);
  expect((await scrape()).size).toBeGreaterThan(30);
});

test("an answer adds to requests, tokens, times and loads", async () => {
  const added = await addedBy(() => server.ask("What is the capital of France?"));
  const route = 'route="/api/generate"';
  expect(added(`requests_total{method="POST",${route},status="200"}`)).toBe(1);
  expect(added('prompt_tokens_total{model="tiny:latest"}')).toBeGreaterThan(5);
  expect(added('completion_tokens_total{model="tiny:latest"}')).toBeGreaterThan(3);
  for (const name of [
    `request_duration_seconds_count{${route}}`,
    "time_to_first_token_seconds_count",
    "decode_tokens_per_second_count",
    "queue_seconds_count",
    "model_load_seconds_count",
  ]) {
    expect([name, added(name)]).toEqual([name, 1]);
  }
});

test("a second answer finds its prompt cached, and loads nothing", async () => {
  const added = await addedBy(() => server.ask("What is the capital of France?"));
  expect(added('cached_prompt_tokens_total{model="tiny:latest"}')).toBeGreaterThan(0);
  expect(added("model_load_seconds_count")).toBe(0);
});

test("every choice of a request is measured", async () => {
  const messages = [{ role: "user", content: "What is the capital of France?" }];
  const added = await addedBy(() =>
    server.post("/v1/chat/completions", { model: "tiny", messages, n: 3 }),
  );
  expect(added('requests_total{method="POST",route="/v1/chat/completions",status="200"}')).toBe(1);
  for (const name of [
    "time_to_first_token_seconds_count",
    "decode_tokens_per_second_count",
    "queue_seconds_count",
  ]) {
    expect([name, added(name)]).toEqual([name, 3]);
  }
});

test("embeddings add their prompt, and refused requests their status", async () => {
  const added = await addedBy(async () => {
    await server.post("/api/embed", { model: "tiny", input: ["one text"] });
    await server.send("/no/such/route/1");
    await server.send("/no/such/route/2");
    await server.send("/", { headers: { origin: "https://evil.example" } });
  });
  expect(added('prompt_tokens_total{model="tiny"}')).toBeGreaterThan(0);
  expect(added('requests_total{method="GET",route="unknown",status="404"}')).toBe(2);
  expect(added('requests_total{method="GET",route="/",status="403"}')).toBe(1);
});

test("a client that disconnects counts as 499, with its tokens", async () => {
  const added = await addedBy(async () => {
    const leave = new AbortController();
    const reply = await fetch(`${server.url}/v1/chat/completions`, {
      method: "POST",
      signal: leave.signal,
      body: JSON.stringify({
        model: "tiny",
        messages: [{ role: "user", content: "Write a long story." }],
        stream: true,
        ignore_eos: true,
      }),
    });
    await reply.body?.getReader().read();
    leave.abort();
    await server.untilQuiet();
  });
  const labels = 'method="POST",route="/v1/chat/completions",status="499"';
  expect(added(`requests_total{${labels}}`)).toBe(1);
  expect(added('completion_tokens_total{model="tiny:latest"}')).toBeGreaterThan(0);
  expect((await scrape()).get("modelctl_requests_in_flight")).toBe(1);
});

test("loaded models and their memory are reported, and crashes counted", async () => {
  const values = await scrape();
  expect(values.get('modelctl_loaded_models{model="tiny:latest",state="idle"}')).toBe(1);
  expect(values.get('modelctl_model_memory_bytes{model="tiny:latest",kind="ram"}')).toBeGreaterThan(
    1e6,
  );
  expect(values.get('modelctl_queue_length{model="tiny:latest"}')).toBe(0);
  await server.killRunner();
  await until(scrape, (after) => after.get("modelctl_runner_crashes_total") === 1);
  expect([...(await scrape()).keys()].some((name) => name.includes("loaded_models{"))).toBe(false);
});

test("GET /api/metrics describes the machine once", async () => {
  const { json } = await server.send("/api/metrics");
  expect(json).toMatchObject({
    cpu: { cores: expect.any(Number), load: expect.any(Number) },
    memory: { totalBytes: expect.any(Number) },
    gpus: expect.any(Array),
    models: expect.any(Array),
    series: expect.any(Array),
  });
});

test("with follow it sends a line each second, and shows an answer in progress", async () => {
  const leave = new AbortController();
  const reply = await fetch(`${server.url}/api/metrics?follow=true`, { signal: leave.signal });
  const samples: MachineSample[] = [];
  const ended = (async () => {
    for await (const piece of reply.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      samples.push(
        ...piece
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line) as MachineSample),
      );
    }
  })().catch(() => {});
  await server.ask("Write a long story.");
  await until(
    () => samples.map(({ tokensPerSecond }) => tokensPerSecond),
    (speeds) => speeds.some((speed) => speed > 0),
  );
  leave.abort();
  await ended;
  const { json } = await server.send("/api/metrics");
  expect((json as { series: unknown[] }).series).toContainEqual(
    expect.objectContaining({ time: samples[0]?.time, cpuLoad: samples[0]?.cpu.load }),
  );
});
