// Gateway in front of a Python server, as an independent HTTP implementation.
import { type ChildProcess, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import path from "node:path";
import OpenAI from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { defaultScale } from "../../../source/cloud/app-config.ts";
import { routedApp } from "../../support/cloud-documents.ts";
import { holdStream } from "../../support/held-stream.ts";
import { sendRaw } from "../../support/http-raw.ts";
import { TestGateway } from "../../support/test-gateway.ts";
import { until } from "../../support/until.ts";

const program = path.join(import.meta.dirname, "../../fixtures/cloud/fake-server.py");

let gateway: TestGateway;
let server: ChildProcess;
let endpoint: string;
let url: string;
beforeAll(async () => {
  const port = await freePort();
  server = spawn("python3", [program, "--host", "127.0.0.1", "--port", String(port)]);
  endpoint = `http://127.0.0.1:${port}`;
  await until(
    () =>
      fetch(`${endpoint}/health`).then(
        ({ ok }) => ok,
        () => false,
      ),
    (isUp) => isUp,
  );
  gateway = await TestGateway.start();
  gateway.gateway.table.publish([
    routedApp({
      scale: { ...defaultScale, maxMultiplexing: 64 },
      replicas: [{ replica: "python", revision: "r1", endpoint, isOpen: true, readyAt: 0 }],
    }),
  ]);
  url = `${gateway.url}/acme/chat`;
});
afterAll(async () => {
  await gateway.close();
  server.kill("SIGKILL");
  await once(server, "exit");
});

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  if (address === null || typeof address === "string") throw new Error("there is no port");
  return address.port;
}

interface Stats {
  requests: number;
  active: number;
  aborted: number;
}

const stats = async () => (await (await fetch(`${endpoint}/stats`)).json()) as Stats;

test("OpenAI's client gets answers and streams, and their tokens are counted", async () => {
  const client = new OpenAI({ apiKey: "unused", baseURL: `${url}/v1`, maxRetries: 0 });
  const request = { model: "m", messages: [{ role: "user", content: "hi" }] } as const;
  const answer = await client.chat.completions.create({
    ...request,
    messages: [...request.messages],
  });
  const text = answer.choices[0]?.message.content;
  expect(text).toBeTruthy();
  const stream = await client.chat.completions.create({
    ...request,
    messages: [...request.messages],
    stream: true,
    stream_options: { include_usage: true },
  });
  let streamed = "";
  for await (const { choices } of stream) streamed += choices[0]?.delta.content ?? "";
  expect(streamed).toBe(text);
  await expect.poll(() => gateway.records.length).toBe(2);
  const [first, second] = gateway.records;
  expect(first?.tokens?.completion).toBe(8);
  expect(second?.tokens).toEqual(first?.tokens);
});

test.each(["with a length", "in chunks"])("a body %s arrives completely", async (kind) => {
  const body = randomBytes(3_000_000);
  const reply = await fetch(`${url}/echo`, {
    method: "POST",
    body: kind === "in chunks" ? new Blob([body]).stream() : body,
    duplex: "half",
  } as RequestInit);
  const echoed = (await reply.json()) as { length: number; sha256: string };
  expect(echoed).toMatchObject({
    length: body.length,
    sha256: createHash("sha256").update(body).digest("hex"),
  });
});

test("a slow replica slows down its caller and gets everything", async () => {
  const body = Buffer.alloc(6 * 2 ** 20, "x");
  const reply = await sendRaw(`${url}/slow-read?rate=20000000`, { method: "POST", body });
  expect(reply.status).toBe(200);
  expect(reply.text).toContain(String(body.length));
});

test("a replica notices when its caller disconnects", async () => {
  const before = await stats();
  const leaving = new AbortController();
  const events = await holdStream(`${url}/events?n=0&pause_ms=20`);
  const waiting = fetch(`${url}/wait?ms=60000`, { signal: leaving.signal });
  expect(events.reply.status).toBe(200);
  await until(stats, ({ active }) => active === before.active + 2);
  events.leave();
  leaving.abort();
  await expect(waiting).rejects.toThrow();
  const after = await until(stats, ({ active }) => active === before.active);
  expect(after.aborted).toBe(before.aborted + 2);
  expect(gateway.gateway.table.inFlight("python")).toBe(0);
});

test("a reset connection is retried, but cut after bytes were sent", async () => {
  const before = await stats();
  const refused = await sendRaw(`${url}/reset?after=0`, {});
  expect([refused.status, refused.headers["x-dctl-error-type"]]).toEqual([
    503,
    "runner_disconnected",
  ]);
  const tries = (await stats()).requests - before.requests;
  // Three attempts, and one more if the first connection was reused.
  expect([3, 4]).toContain(tries);
  const cut = await fetch(`${url}/reset?after=1000`);
  await expect(cut.text()).rejects.toThrow();
});

test("WebSockets are echoed", async () => {
  const socket = new WebSocket(`${url.replace("http", "ws")}/ws`);
  await once(socket, "open");
  socket.send("hello");
  const [message] = await once(socket, "message");
  expect(String(message)).toBe("hello");
  socket.close();
  await once(socket, "close");
});
