// Traces of requests, as a real collector receives them from the official exporter.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { TestServer } from "../../support/test-server.ts";
import { type CollectedSpan, TraceCollector } from "../../support/trace-collector.ts";
import { until } from "../../support/until.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
const question = "What is the capital of France?";
const body = {
  model: "tiny",
  messages: [{ role: "user", content: question }],
  temperature: 0,
  max_tokens: 20,
};

describe("a server with a collector", () => {
  let collector: TraceCollector;
  let server: TestServer;
  beforeAll(async () => {
    collector = await TraceCollector.start();
    vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url);
    vi.stubEnv("OTEL_EXPORTER_OTLP_HEADERS", "x-team=night");
    vi.stubEnv("OTEL_RESOURCE_ATTRIBUTES", "service.name=kitchen");
    vi.stubEnv("OTEL_BSP_SCHEDULE_DELAY", "50");
    server = await TestServer.start();
  });
  afterAll(async () => {
    await server.close();
    vi.unstubAllEnvs();
    await collector.close();
  });

  const chat = async (more: object = {}, headers: Record<string, string> = {}) =>
    await server.post("/v1/chat/completions", { ...body, ...more }, headers);

  it("sends the phases of an answer as parts of the client's trace", async () => {
    const reply = await chat({}, { traceparent });
    expect(reply.status).toBe(200);
    const id = reply.headers.get("x-request-id") ?? "";
    const trace = await collector.traceOf({ "modelctl.request.id": id });
    const byName = new Map(trace.map((span) => [span.name, span]));
    const request = byName.get("POST /v1/chat/completions");
    expect(request).toMatchObject({
      ...{ traceId, parentId: "b7ad6b7169203331", kind: 2, service: "kitchen", hasFailed: false },
      attributes: {
        "http.request.method": "POST",
        "http.route": "/v1/chat/completions",
        "http.response.status_code": 200,
        "client.address": "127.0.0.1",
      },
    });
    const answer = byName.get("chat tiny");
    expect(answer).toMatchObject({
      parentId: request?.spanId,
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "modelctl",
        "gen_ai.request.model": "tiny",
        "gen_ai.request.temperature": 0,
        "gen_ai.request.max_tokens": 20,
        "gen_ai.response.finish_reasons": ["stop"],
      },
    });
    expect(answer?.attributes["gen_ai.usage.input_tokens"]).toBeGreaterThan(5);
    expect(answer?.attributes["gen_ai.usage.output_tokens"]).toBeGreaterThan(3);
    const phases = trace.filter(({ parentId }) => parentId === answer?.spanId);
    expect(phases.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["load", "prompt", "tokens"]),
    );
    for (const { from, to } of phases) {
      expect(from).toBeGreaterThanOrEqual((request?.from ?? Infinity) - 1);
      expect(to).toBeLessThanOrEqual((request?.to ?? 0) + 1);
    }
    expect(collector.headers["x-team"]).toBe("night");
  });

  it("never sends what was asked, answered, or used as a key", async () => {
    const reply = await chat(
      { stop: ["a secret word"], user: "somebody" },
      { authorization: "Bearer sk-secret-key" },
    );
    const id = reply.headers.get("x-request-id") ?? "";
    const sent = JSON.stringify(await collector.traceOf({ "modelctl.request.id": id }));
    for (const text of ["capital", "Paris", "secret", "somebody"]) expect(sent).not.toContain(text);
  });

  it("names the trace in the request log, so that one is found from the other", async () => {
    const reply = await chat({}, { traceparent: `00-${"1".repeat(32)}-b7ad6b7169203331-01` });
    const id = reply.headers.get("x-request-id") ?? "";
    const { json } = await server.send(`/api/requests/${id}`);
    expect(json).toMatchObject({ id, traceId: "1".repeat(32) });
  });

  it("begins a trace of its own for a request without one, or with a broken one", async () => {
    for (const headers of [{}, { traceparent: "00-nonsense-01" }]) {
      const reply = await chat({}, headers);
      const id = reply.headers.get("x-request-id") ?? "";
      const [first] = await collector.traceOf({ "modelctl.request.id": id });
      expect(first?.traceId).toMatch(/^[0-9a-f]{32}$/);
      const request = (await collector.traceOf({ "modelctl.request.id": id })).find(isRequest);
      expect(request?.parentId).toBe("");
    }
  });

  it("leaves out what the client decided not to record", async () => {
    const unsampled = await chat({}, { traceparent: `00-${"2".repeat(32)}-b7ad6b7169203331-00` });
    expect(unsampled.status).toBe(200);
    const later = await chat();
    await collector.traceOf({ "modelctl.request.id": later.headers.get("x-request-id") ?? "" });
    expect(collector.spans.filter((span) => span.traceId === "2".repeat(32))).toEqual([]);
  });

  it("tells a refused request from one that failed", async () => {
    const reply = await chat({ model: "nobody" });
    expect(reply.status).toBe(404);
    const id = reply.headers.get("x-request-id") ?? "";
    const trace = await collector.traceOf({ "modelctl.request.id": id });
    const request = trace.find(isRequest);
    expect(request).toMatchObject({
      hasFailed: false,
      attributes: { "error.type": "STORE_MODEL_NOT_FOUND", "http.response.status_code": 404 },
    });
    expect(trace.find(({ name }) => name === "chat nobody")?.hasFailed).toBe(true);
  });

  it("traces embeddings too", async () => {
    const reply = await server.post("/v1/embeddings", { model: "tiny", input: "Paris" });
    const id = reply.headers.get("x-request-id") ?? "";
    const trace = await collector.traceOf({ "modelctl.request.id": id });
    expect(trace.map(({ name }) => name)).toContain("embeddings tiny");
  });
});

describe("a server whose collector is of no use", () => {
  beforeEach(() => vi.stubEnv("OTEL_BSP_SCHEDULE_DELAY", "50"));
  afterEach(() => void vi.unstubAllEnvs());

  it("answers all the same, and says once that traces are lost", async () => {
    vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://someone:password@127.0.0.1:9");
    vi.stubEnv("OTEL_EXPORTER_OTLP_TIMEOUT", "200");
    const server = await TestServer.start();
    const ask = async () => await server.post("/v1/chat/completions", body);
    const isSaid = (log: readonly string[]) =>
      log.filter((line) => line.includes("takes no traces"));
    expect((await ask()).status).toBe(200);
    const [said] = isSaid(
      await until(
        () => server.log,
        (log) => isSaid(log).length > 0,
      ),
    );
    expect(said).toMatch(/^The trace collector at 127\.0\.0\.1:9 takes no traces: .+ lost\./);
    expect((await ask()).status).toBe(200);
    await server.close();
    expect(isSaid(server.log)).toHaveLength(1);
    expect(server.log.join("\n")).not.toContain("password");
  });

  it.each([
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "nonsense" }, "OTEL_EXPORTER_OTLP_ENDPOINT is not an http"],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
      "OTEL_EXPORTER_OTLP_PROTOCOL names a protocol",
    ],
  ])("says why it sends no traces with %j", async (variables, sentence) => {
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
    const server = await TestServer.start();
    const reply = await server.post("/v1/chat/completions", body);
    await server.close();
    expect(reply.status).toBe(200);
    expect(server.log.join("\n")).toContain(`No traces are sent: ${sentence}`);
  });
});

function isRequest({ kind }: CollectedSpan): boolean {
  return kind === 2;
}
