// A cancelled request is cancelled everywhere: in its record, in filters and in the metrics, whatever
// its API, and however much of its reply was sent.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RequestRecord } from "../../source/request-log/request-record.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

let server: TestServer;

beforeAll(async () => {
  server = await TestServer.start();
  await server.ask("Hello!");
});

afterAll(async () => {
  await server.close();
});

const text = "Count.";
const messages = [{ role: "user", content: text }];
/** Answers that take seconds, however fast the model is. */
const schema = { type: "array", items: { type: "integer" }, minItems: 300 };
const json_schema = { name: "numbers", schema };

const routes: ReadonlyArray<readonly [path: string, body: object]> = [
  ["/api/generate", { prompt: text, format: schema }],
  ["/api/chat", { messages, format: schema }],
  ["/v1/chat/completions", { messages, response_format: { type: "json_schema", json_schema } }],
  ["/v1/completions", { prompt: text, ignore_eos: true }],
  [
    "/v1/messages",
    { messages, max_tokens: 3000, output_config: { format: { type: "json_schema", schema } } },
  ],
  ["/v1/responses", { input: text, text: { format: { type: "json_schema", ...json_schema } } }],
];
const cases = routes.flatMap(([path, body]) => [
  [path, "streamed", { ...body, stream: true }] as const,
  [path, "whole", { ...body, stream: false }] as const,
]);

/** Resolves as soon as a request is being answered: the tiny model writes fast. */
async function untilAnswering(): Promise<RequestRecord> {
  const { requestLog } = server.hosted;
  const found = Promise.withResolvers<RequestRecord>();
  const leave = requestLog.follow((record) => {
    if (record.state === "running" && (record.completionTokens ?? 0) > 0) found.resolve(record);
  });
  const record = await found.promise;
  leave();
  return record;
}

async function counted(path: string): Promise<number> {
  const { text: metrics } = await server.send("/metrics");
  const labels = `{method="POST",route="${path}",status="499"}`;
  const line = metrics
    .split("\n")
    .find((one) => one.startsWith(`modelctl_requests_total${labels}`));
  return Number(line?.split(" ").at(-1) ?? 0);
}

async function expectCancelled(id: string): Promise<RequestRecord | undefined> {
  const find = async () => (await server.requests()).find((one) => one.id === id);
  const record = await until(find, (one) => one !== undefined && one.state !== "running");
  expect(record).toMatchObject({ state: "cancelled", status: 499 });
  // A second failure would be shown in place of the state.
  expect(record?.error).toBeUndefined();
  const idsOf = async (filter: string) => {
    const { json } = await server.send(`/api/requests?filter=${encodeURIComponent(filter)}`);
    return (json as { requests: RequestRecord[] }).requests.map((one) => one.id);
  };
  expect(await idsOf("status:cancelled")).toContain(id);
  expect(await idsOf("status:ok,error,running")).not.toContain(id);
  return record;
}

describe("a request cancelled by its id", () => {
  test.each(cases)("%s, %s", async (path, _, body) => {
    const before = await counted(path);
    const answering = untilAnswering();
    const asked = server.post(path, { model: "tiny", ...body });
    const { id } = await answering;
    const agent = "a person/1.0";
    const cancelled = await server.post("/api/cancel", { id }, { "user-agent": agent });
    expect(cancelled.json).toEqual({ id, status: "cancelled" });
    await asked;
    const record = await expectCancelled(id);
    expect(record?.cancelled).toEqual({ by: "api", address: "127.0.0.1", agent });
    await until(
      () => counted(path),
      (count) => count === before + 1,
    );
  });
});

describe("a request whose client left", () => {
  test.each(cases)("%s, %s", async (path, _, body) => {
    const before = await counted(path);
    const leaving = new AbortController();
    const answering = untilAnswering();
    const asked = fetch(server.url + path, {
      method: "POST",
      body: JSON.stringify({ model: "tiny", ...body }),
      headers: { "content-type": "application/json" },
      signal: leaving.signal,
    }).then((reply) => reply.text());
    const { id } = await answering;
    leaving.abort();
    await expect(asked).rejects.toThrow();
    const record = await expectCancelled(id);
    expect(record?.cancelled).toMatchObject({ by: "client", address: "127.0.0.1" });
    await until(
      () => counted(path),
      (count) => count === before + 1,
    );
  });
});
