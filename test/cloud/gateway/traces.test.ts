// Traces of the gateway, and of a modelctl server behind it, as a collector receives them.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { openTracing, type Tracing } from "../../../source/tracing/tracing.ts";
import { routedApp } from "../../support/cloud-documents.ts";
import { sendRaw } from "../../support/http-raw.ts";
import { TestGateway } from "../../support/test-gateway.ts";
import { TestServer } from "../../support/test-server.ts";
import { TraceCollector } from "../../support/trace-collector.ts";

const parentId = "b7ad6b7169203331";

describe("a gateway with a collector", () => {
  let collector: TraceCollector;
  let tracing: Tracing | undefined;
  let gateway: TestGateway;
  beforeAll(async () => {
    collector = await TraceCollector.start();
    vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url);
    vi.stubEnv("OTEL_BSP_SCHEDULE_DELAY", "50");
    tracing = await openTracing("deployctl", () => {});
  });
  afterAll(async () => {
    await tracing?.close();
    vi.unstubAllEnvs();
    await collector.close();
  });
  beforeEach(async () => {
    gateway = await TestGateway.start({ tracing });
  });
  afterEach(async () => await gateway.close());

  it("joins the client's trace with the spans of the server and its model behind it", async () => {
    const server = await TestServer.start();
    const served = { replica: "replica-1", revision: "r0001-00000000", endpoint: server.url };
    gateway.gateway.table.publish([
      routedApp({ replicas: [{ ...served, isOpen: true, readyAt: 0 }] }),
    ]);
    const traceId = "3".repeat(32);
    const reply = await fetch(`${gateway.url}/acme/chat/v1/chat/completions`, {
      method: "POST",
      headers: { traceparent: `00-${traceId}-${parentId}-01`, tracestate: "vendor=kept" },
      body: JSON.stringify({
        model: "tiny",
        messages: [{ role: "user", content: "What is the capital of France?" }],
      }),
    });
    expect(await reply.text()).toContain("Paris");
    const [record] = await server.requests();
    expect(record?.traceId).toBe(traceId);
    await collector.traceOf({ "modelctl.request.id": record?.id });
    const trace = await collector.traceOf({
      "deployctl.request.id": reply.headers.get("x-dctl-request-id") ?? "",
    });
    const spanNamed = (name: string) => trace.find((span) => span.name === name);
    const call = spanNamed("POST /acme/chat");
    expect(call).toMatchObject({
      ...{ traceId, parentId, kind: 2, service: "deployctl" },
      attributes: {
        "url.path": "/v1/chat/completions",
        "http.response.status_code": 200,
        "deployctl.app": "chat",
      },
    });
    expect(spanNamed("replica")).toMatchObject({
      parentId: call?.spanId,
      attributes: { "deployctl.replica": "replica-1" },
    });
    const request = spanNamed("POST /v1/chat/completions");
    expect(request).toMatchObject({ parentId: call?.spanId, service: "modelctl" });
    expect(spanNamed("chat tiny")?.parentId).toBe(request?.spanId);
    await server.close();
  });

  it("traces a refused call without an app's name from a stranger", async () => {
    const reply = await sendRaw(`${gateway.url}/nobody/secret-name/v1/models`, {});
    expect(reply.status).toBe(401);
    const { id } = await gateway.record();
    const [span] = await collector.traceOf({ "deployctl.request.id": id });
    expect(span).toMatchObject({ name: "GET", hasFailed: false });
    expect(JSON.stringify(span)).not.toContain("secret-name");
  });

  it("marks a call as failed whose replica does not answer", async () => {
    const url = await gateway.serve((request) => request.socket.destroy());
    const reply = await sendRaw(`${url}/v1/models`, {});
    const { id, status } = await gateway.record();
    expect(status).toBe(reply.status);
    expect(status).toBeGreaterThanOrEqual(500);
    const trace = await collector.traceOf({ "deployctl.request.id": id });
    expect(trace.find(({ kind }) => kind === 2)).toMatchObject({
      hasFailed: true,
      attributes: { "http.response.status_code": status },
    });
  });
});

describe("a gateway without a collector", () => {
  it("passes the client's trace to the replica unchanged", async () => {
    const gateway = await TestGateway.start();
    const url = await gateway.serve(({ headers }, response) => {
      response.end(JSON.stringify([headers.traceparent, headers.tracestate]));
    });
    const headers = { traceparent: `00-${"4".repeat(32)}-${parentId}-01`, tracestate: "a=b" };
    const reply = await sendRaw(`${url}/x`, { headers });
    expect(JSON.parse(reply.text)).toEqual([headers.traceparent, "a=b"]);
    await gateway.close();
  });
});
