// Early streams to a sleeping app: they start at once, and continue with the replica's events or an error.
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { defaultLimits, defaultScale } from "../../../source/cloud/app-config.ts";
import { asksForStream } from "../../../source/cloud/gateway/early-stream.ts";
import type { RoutedApp } from "../../../source/cloud/gateway/traffic.ts";
import { routedApp } from "../../support/cloud-documents.ts";
import { sendRaw } from "../../support/http-raw.ts";
import { TestGateway } from "../../support/test-gateway.ts";
import { until } from "../../support/until.ts";

const json = { "content-type": "application/json" };
const events = { "content-type": "text/event-stream; charset=utf-8" };
const body = JSON.stringify({ model: "m", stream: true, messages: [] });

let gateway: TestGateway;
let url: string;
beforeEach(async () => {
  gateway = await TestGateway.start();
  url = `${gateway.url}/acme/chat/v1/chat/completions`;
});
afterEach(async () => {
  await gateway.close();
});

const early = (changes: Partial<RoutedApp> = {}) => routedApp({ earlyStream: true, ...changes });
const demand = () => gateway.gateway.table.demand("acme", "chat");

/** Request whose response has started. */
async function open(init: RequestInit = {}) {
  const reply = await fetch(url, { method: "POST", headers: json, body, ...init });
  if (reply.body === null) throw new Error("there is no body");
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const readUntil = async (isReached: (text: string) => boolean) => {
    while (!isReached(text)) {
      const { value, done } = await reader.read();
      if (done) break;
      text += value;
    }
    return text;
  };
  return { reply, readUntil, readAll: async () => await readUntil(() => false) };
}

/** Returns the stream without its comments. */
function eventsOf(text: string): string[] {
  return text.split("\n\n").filter((event) => event !== "" && !event.startsWith(":"));
}

function errorOf(text: string): unknown {
  const [event = "", ...more] = eventsOf(text);
  expect(more).toEqual([]);
  expect(event).toMatch(/^data: /);
  return JSON.parse(event.slice("data: ".length)).error;
}

async function wake(onRequest: RequestListener, changes: Partial<RoutedApp> = {}) {
  const replica = await gateway.addReplica(onRequest);
  gateway.gateway.table.publish([early({ replicas: [replica.routed()], ...changes })]);
}

describe("a stream to a sleeping app", () => {
  test("starts with comments and continues with the replica's events", async () => {
    gateway.gateway.table.publish([early({ sseKeepAliveMs: 10 })]);
    const { reply, readUntil, readAll } = await open();
    expect(reply.status).toBe(200);
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      "content-type": "text/event-stream",
      "x-dctl-request-id": expect.stringMatching(/^req_/),
      "x-dctl-cold-start": "1",
    });
    await readUntil((text) => text.startsWith(": starting\n\n: starting\n\n: starting\n\n"));
    expect(demand()).toMatchObject({ busy: 0, queued: 1 });
    let sent = "";
    let headers = {};
    await wake(async (request, response) => {
      sent = String(Buffer.concat(await request.toArray()));
      headers = request.headers;
      response.writeHead(200, events);
      response.write("data: 1\n\n");
      response.end('data: {"usage":{"prompt_tokens":3,"completion_tokens":2}}\n\ndata: [DONE]\n\n');
    });
    const text = await readAll();
    expect(sent).toBe(body);
    // The head would have to name the encoding.
    expect(headers).toMatchObject(json);
    expect(headers).not.toHaveProperty("accept-encoding");
    expect(eventsOf(text)).toEqual([
      "data: 1",
      'data: {"usage":{"prompt_tokens":3,"completion_tokens":2}}',
      "data: [DONE]",
    ]);
    expect(text).not.toContain("HTTP/1.1");
    expect(await gateway.record()).toMatchObject({
      status: 200,
      errorType: undefined,
      isColdStart: true,
      replica: "replica-1",
      tokens: { prompt: 3, completion: 2 },
    });
    expect(demand()).toMatchObject({ busy: 0, queued: 0 });
  });

  test("works with OpenAI's client, which sees only the events or the error", async () => {
    gateway.gateway.table.publish([early()]);
    const client = new OpenAI({
      apiKey: "unused",
      baseURL: `${gateway.url}/acme/chat/v1`,
      maxRetries: 0,
    });
    const ask = () =>
      client.chat.completions.create({
        model: "m",
        messages: [{ role: "user", content: "hi" }],
        stream: true,
      });
    const stream = await ask();
    await wake((_, response) => {
      response.writeHead(200, events);
      const chunk = { choices: [{ delta: { content: "Hello" } }] };
      response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
    });
    let text = "";
    for await (const { choices } of stream) text += choices[0]?.delta.content ?? "";
    expect(text).toBe("Hello");
    gateway.gateway.table.publish([early()]);
    const failing = await ask();
    const failure = { errorType: "startup_failed", sentence: "vllm is not there." } as const;
    gateway.gateway.table.publish([early({ failure })]);
    const read = async () => {
      for await (const _ of failing) throw new Error("there was an event");
    };
    await expect(read()).rejects.toMatchObject({
      code: "startup_failed",
      error: { message: "vllm is not there.", status: 503 },
    });
  });

  test("reports errors to Anthropic's client", async () => {
    gateway.gateway.table.publish([early()]);
    const baseURL = `${gateway.url}/acme/chat`;
    const client = new Anthropic({ apiKey: "unused", baseURL, maxRetries: 0 });
    const stream = await client.messages.create({
      model: "m",
      max_tokens: 9,
      messages: [{ role: "user", content: "hi" }],
      stream: true,
    });
    gateway.gateway.table.publish([early({ state: "paused" })]);
    const read = async () => {
      for await (const _ of stream) throw new Error("there was an event");
    };
    await expect(read()).rejects.toMatchObject({
      type: "app_paused",
      error: { type: "error", error: { code: "app_paused", status: 503 } },
    });
  });

  test("leaves the queue when its client disconnects", async () => {
    gateway.gateway.table.publish([early()]);
    const leaving = new AbortController();
    const { readAll } = await open({ signal: leaving.signal });
    expect(demand().queued).toBe(1);
    leaving.abort();
    await expect(readAll()).rejects.toThrow();
    await until(demand, ({ queued }) => queued === 0);
    expect(await gateway.record()).toMatchObject({
      status: 499,
      errorType: "client_disconnected",
      replica: undefined,
    });
  });

  test("ends the replica's work when its client disconnects", async () => {
    gateway.gateway.table.publish([early()]);
    const leaving = new AbortController();
    const { readAll } = await open({ signal: leaving.signal });
    let isGone = false;
    await wake((_, response) => {
      response.once("close", () => {
        isGone = true;
      });
    });
    await until(demand, ({ busy }) => busy === 1);
    leaving.abort();
    await expect(readAll()).rejects.toThrow();
    await expect.poll(() => isGone).toBe(true);
  });

  test("is retried at another replica and still has one head", async () => {
    gateway.gateway.table.publish([early()]);
    const { readAll } = await open();
    const asked: [string, string][] = [];
    /** Makes the first replica that is asked close the connection. */
    const answer = (name: string): RequestListener => {
      return async (request, response) => {
        asked.push([name, String(Buffer.concat(await request.toArray()))]);
        if (asked.length === 1) request.socket.destroy();
        else response.writeHead(200, events).end("data: 1\n\n");
      };
    };
    const names = ["replica-1", "replica-2"];
    const replicas = await Promise.all(names.map((name) => gateway.addReplica(answer(name), name)));
    gateway.gateway.table.publish([
      early({ replicas: replicas.map((replica) => replica.routed()) }),
    ]);
    const text = await readAll();
    expect(asked.map(([name]) => name).sort()).toEqual(names);
    expect(asked.map(([, sent]) => sent)).toEqual([body, body]);
    expect(eventsOf(text)).toEqual(["data: 1"]);
    expect(await gateway.record()).toMatchObject({ status: 200, replica: asked[1]?.[0] });
  });

  test.each<[string, string, number]>([
    ["a body in pieces", "chunked", 1000],
    ["a body that is long", "whole", 3 * 2 ** 20],
  ])("may have %s", async (_, way, length) => {
    gateway.gateway.table.publish([early()]);
    const text = JSON.stringify({ stream: true, image: "x".repeat(length) });
    // The length of a stream is unknown, so it is sent in chunks.
    const chunked = { body: new Blob([text]).stream(), duplex: "half" };
    const init = way === "whole" ? { body: text } : chunked;
    const { readUntil, readAll } = await open(init as RequestInit);
    await readUntil((so) => so.includes(": starting\n\n"));
    let received = 0;
    await wake(async (request, response) => {
      received = Buffer.concat(await request.toArray()).length;
      response.writeHead(200, events).end("data: 1\n\n");
    });
    expect(eventsOf(await readAll())).toEqual(["data: 1"]);
    expect(received).toBe(text.length);
  });
});

describe("an error after the head was sent", () => {
  const failure = { errorType: "startup_failed", sentence: "vllm is not there." } as const;
  test.each<[string, Partial<RoutedApp>[], string, number]>([
    ["a start that fails", [{ failure }], "startup_failed", 503],
    ["an app that is paused", [{ state: "paused" }], "app_paused", 503],
    ["an app that is deleted", [{ state: "deleted" }], "app_deleted", 410],
    ["an app that leaves the table", [], "app_not_found", 404],
  ])("is one event: %s", async (_, changes, type, status) => {
    gateway.gateway.table.publish([early()]);
    const { readAll } = await open();
    gateway.gateway.table.publish(changes.map((change) => early(change)));
    expect(errorOf(await readAll())).toEqual({
      message: expect.stringMatching(/\w+ .+\.$/),
      type,
      code: type,
      param: null,
      status,
    });
    expect(await gateway.record()).toMatchObject({ status, errorType: type });
  });

  test("is one event: no replica in time", async () => {
    gateway.gateway.table.publish([early()]);
    const headers = { ...json, "x-dctl-start-timeout": "0.05" };
    const { reply, readAll } = await open({ headers });
    expect(reply.status).toBe(200);
    expect(errorOf(await readAll())).toMatchObject({ code: "startup_timeout", status: 504 });
    expect(await gateway.record()).toMatchObject({ status: 504, errorType: "startup_timeout" });
  });

  test("is one event: no response in time", async () => {
    gateway.gateway.table.publish([early()]);
    const { readAll } = await open();
    await wake(() => {}, { limits: { ...defaultLimits, requestTimeoutMs: 50 } });
    expect(errorOf(await readAll())).toMatchObject({ code: "request_timeout", status: 504 });
    expect(await gateway.record()).toMatchObject({ status: 504, errorType: "request_timeout" });
  });

  test("is one event: the gateway stops", async () => {
    gateway.gateway.table.publish([early()]);
    const { readAll } = await open();
    const closed = gateway.gateway.close({ drainMs: 10_000 });
    expect(errorOf(await readAll())).toMatchObject({ code: "shutting_down", status: 503 });
    await closed;
  });

  test("is one event: all replicas close the connection", async () => {
    gateway.gateway.table.publish([early()]);
    const { readAll } = await open();
    let asked = 0;
    await wake((request) => {
      asked += 1;
      request.socket.destroy();
    });
    expect(errorOf(await readAll())).toMatchObject({ code: "runner_disconnected", status: 503 });
    expect(asked).toBe(3);
  });

  test.each<[string, (response: ServerResponse) => void, number, string]>([
    [
      "OpenAI's shape",
      (response) =>
        response
          .writeHead(404, json)
          .end('{"error":{"message":"There is no model m.","code":"x"}}'),
      404,
      "The app's replica answered with 404: There is no model m.",
    ],
    [
      "FastAPI's",
      (response) => response.writeHead(422, json).end('{"detail":"messages is empty"}'),
      422,
      "The app's replica answered with 422: messages is empty",
    ],
    [
      "a line of text",
      (response) => response.writeHead(500, { "content-type": "text/plain" }).end("Boom\n"),
      500,
      "The app's replica answered with 500: Boom",
    ],
    [
      "a page",
      (response) => response.writeHead(500, { "content-type": "text/html" }).end("<h1>Oh</h1>"),
      500,
      "The app's replica answered with 500.",
    ],
    [
      "events",
      (response) => response.writeHead(429, events).end("data: 1\n\n"),
      429,
      "The app's replica answered with 429.",
    ],
    [
      "more than anybody reads",
      (response) => response.writeHead(400, json).end(Buffer.alloc(2 ** 20, "x")),
      400,
      "The app's replica answered with 400.",
    ],
    [
      "half of it",
      (response) => {
        response.writeHead(400, { ...json, "content-length": 100 });
        response.write('{"error"', () => response.destroy());
      },
      400,
      "The app's replica answered with 400.",
    ],
  ])("is the replica's own, in %s", async (_, answer, status, message) => {
    gateway.gateway.table.publish([early()]);
    const { readAll } = await open();
    await wake((_, response) => answer(response));
    expect(errorOf(await readAll())).toEqual({
      message,
      type: "runner_error",
      code: "runner_error",
      param: null,
      status,
    });
    expect(await gateway.record()).toMatchObject({ status, errorType: "runner_error" });
    expect(gateway.gateway.table.inFlight("replica-1")).toBe(0);
  });

  test.each<[string, Record<string, string>, Buffer | string]>([
    ["a whole completion", json, '{"choices":[]}'],
    ["of no kind", {}, "data: 1\n\n"],
    ["encoded nevertheless", { ...events, "content-encoding": "gzip" }, gzipSync("data: 1\n\n")],
  ])("is said of a reply that is no stream of events: %s", async (_, headers, text) => {
    gateway.gateway.table.publish([early()]);
    const { readAll } = await open();
    await wake((_, response) => response.writeHead(200, headers).end(text));
    expect(errorOf(await readAll())).toMatchObject({ code: "runner_not_streaming", status: 502 });
    expect(await gateway.record()).toMatchObject({
      status: 502,
      errorType: "runner_not_streaming",
    });
  });

  test("is sent at once if the reply cannot become a stream, even while it continues", async () => {
    gateway.gateway.table.publish([early()]);
    const { readAll } = await open();
    let isGone = false;
    await wake((_, response) => {
      response.once("close", () => {
        isGone = true;
      });
      response.writeHead(200, json).write("{");
    });
    expect(errorOf(await readAll())).toMatchObject({ code: "runner_not_streaming" });
    await expect.poll(() => isGone).toBe(true);
  });

  test("within the replica's events is unchanged", async () => {
    const quiet = { sseKeepAliveMs: 10 };
    gateway.gateway.table.publish([early(quiet)]);
    const { readUntil, readAll } = await open();
    let reply: ServerResponse | undefined;
    await wake((_, response) => {
      reply = response;
      response.writeHead(200, events);
      response.write("data: 1\n\n");
    }, quiet);
    const text = await readUntil((so) => so.endsWith("keep-alive\n\n"));
    expect(text).toMatch(/^(: starting\n\n)+(: keep-alive\n\n)*data: 1\n\n(: keep-alive\n\n)+$/);
    reply?.destroy();
    const [, last = ""] = eventsOf(await readAll());
    expect(JSON.parse(last.slice("data: ".length)).error).toEqual({
      message: expect.any(String),
      type: "runner_disconnected",
      code: "runner_disconnected",
      param: null,
    });
    expect(await gateway.record()).toMatchObject({ status: 200, errorType: "runner_disconnected" });
  });
});

test.each([
  '{"stream":true}',
  ' {\n "stream" :\ttrue\n}\n',
  '{"messages":[{"content":"\\\\"}],"stream":true,"options":{"stream":false}}',
  '{"content":"}]\\"{","stream":true,"more":[]}',
  JSON.stringify({ content: "日本語 🎈", stream: true }),
])("%j asks for a stream", (text) => {
  expect(asksForStream(Buffer.from(text))).toBe(true);
});

describe("a stream does not start early", () => {
  /** Returns the reply of a delayed replica, to show that nothing was sent before it. */
  async function reply(
    init: RequestInit,
    changes: Partial<RoutedApp>,
    path = "/v1/chat/completions",
  ) {
    gateway.gateway.table.publish([early(changes)]);
    const replying = fetch(`${gateway.url}/acme/chat${path}`, {
      method: "POST",
      headers: json,
      body,
      ...init,
    });
    await until(demand, ({ queued }) => queued === 1);
    await wake((_, response) => response.writeHead(418, { "x-own": "1" }).end("own"), changes);
    return await replying;
  }

  test.each<[string, RequestInit, Partial<RoutedApp>, string?]>([
    ["for an app without the setting", {}, { earlyStream: undefined }],
    ["without stream", { body: '{"stream":false,"text":"\\"stream\\": true"}' }, {}],
    ["for stream within something else", { body: '{"options":{"stream":true}}' }, {}],
    ["for a stream field that is not a boolean", { body: '{"stream":"true"}' }, {}],
    ["for a list", { body: '[{"stream":true}]' }, {}],
    ["for stream as a value", { body: '{"a":"stream","b":true}' }, {}],
    ["for stream within a text", { body: '{"a":"\\"stream":true}' }, {}],
    ["for invalid JSON", { body: '{"stream":true' }, {}],
    ["for what ends within a text", { body: '{"stream":true,"a":"}' }, {}],
    ["for what is not called JSON", { headers: { "content-type": "text/plain" } }, {}],
    ["for an encoded body", { headers: { ...json, "content-encoding": "gzip" } }, {}],
    ["for a page of another origin", { headers: { ...json, origin: "https://a.example" } }, {}],
    ["for another method", { method: "PUT" }, {}],
    ["for Ollama's lines", {}, {}, "/api/chat"],
    [
      "for a body that is too long to be read",
      { body: JSON.stringify({ stream: true, more: "x".repeat(9 * 2 ** 20) }) },
      {},
    ],
  ])("%s", async (_, init, changes, path) => {
    const answered = await reply(init, changes, path);
    expect([answered.status, answered.headers.get("x-own")]).toEqual([418, "1"]);
    expect(await answered.text()).toBe("own");
  });

  test("if requests do not wait", async () => {
    gateway.gateway.table.publish([early({ coldStart: "fail" })]);
    const refused = await sendRaw(url, { method: "POST", headers: json, body });
    expect([refused.status, refused.headers["x-dctl-error-type"]]).toEqual([503, "starting"]);
    gateway.gateway.table.publish([early()]);
    const headers = { ...json, "x-dctl-cold-start": "fail" };
    expect((await sendRaw(url, { method: "POST", headers, body })).status).toBe(503);
  });

  test("if the queue is full or the app cannot start", async () => {
    gateway.gateway.table.publish([early({ scale: { ...defaultScale, maxMultiplexing: 1 } })]);
    const leaving = new AbortController();
    const { signal } = leaving;
    const waiting = Array.from({ length: 100 }, () =>
      fetch(`${gateway.url}/acme/chat`, { signal }).catch(() => undefined),
    );
    await until(demand, ({ queued }) => queued === 100);
    const refused = await sendRaw(url, { method: "POST", headers: json, body });
    expect([refused.status, refused.headers["x-dctl-error-type"]]).toEqual([429, "queue_full"]);
    leaving.abort();
    await Promise.all(waiting);
    const failure = { errorType: "startup_failed", sentence: "It is broken." } as const;
    gateway.gateway.table.publish([early({ failure })]);
    const failed = await sendRaw(url, { method: "POST", headers: json, body });
    expect([failed.status, failed.headers["x-dctl-error-type"]]).toEqual([503, "startup_failed"]);
  });

  test("if there is a replica, even a busy one", async () => {
    const scale = { ...defaultScale, maxMultiplexing: 1 };
    const held: ServerResponse[] = [];
    const onRequest = (_: IncomingMessage, response: ServerResponse) => void held.push(response);
    await wake(onRequest, { scale });
    const first = fetch(url, { method: "POST", headers: json, body });
    await until(demand, ({ busy }) => busy === 1);
    const second = fetch(url, { method: "POST", headers: json, body });
    await until(demand, ({ queued }) => queued === 1);
    await expect.poll(() => held.length).toBe(1);
    held[0]?.writeHead(400).end("first");
    expect((await first).status).toBe(400);
    await expect.poll(() => held.length).toBe(2);
    held[1]?.writeHead(401, { "x-own": "1" }).end("second");
    expect([(await second).status, (await second).headers.get("x-own")]).toEqual([401, "1"]);
  });
});
