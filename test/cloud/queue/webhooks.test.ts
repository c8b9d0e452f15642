// Webhooks of queued requests: fal's form and signature, repetitions, and addresses that are refused.
import { createHash, createPublicKey, type JsonWebKey, verify } from "node:crypto";
import {
  createServer,
  type IncomingHttpHeaders,
  type RequestListener,
  type Server,
} from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, it } from "vitest";
import { until } from "../../support/until.ts";
import { TestQueue } from "../support/test-queue.ts";

let test: TestQueue;
let receiver: Server;
let url: string;
let received: { headers: IncomingHttpHeaders; body: string; path: string }[];
let onHook: RequestListener;

beforeEach(async () => {
  received = [];
  onHook = (_request, response) => response.end();
  receiver = createServer(async (request, response) => {
    received.push({ headers: request.headers, body: await text(request), path: request.url ?? "" });
    onHook(request, response);
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook?a=1`;
});
afterEach(async () => {
  await test.close();
  receiver.closeAllConnections();
  receiver.close();
});

async function start(webhookNetworks: string[]): Promise<void> {
  test = await TestQueue.start({ webhookNetworks });
  await test.gateway.addReplica(async (request, response) => {
    const { status = 200, reply } = JSON.parse(await text(request)) as {
      status?: number;
      reply: string;
    };
    response.writeHead(status, { "content-type": "application/json" });
    response.end(reply);
  });
  test.serve();
}

async function submit(question: { status?: number; reply: string }, hook = url): Promise<string> {
  return await test.submit(question, { path: `?fal_webhook=${encodeURIComponent(hook)}&b=2` });
}

async function told(count: number): Promise<(typeof received)[number]> {
  await until(
    () => received.length,
    (length) => length >= count,
  );
  const last = received[count - 1];
  if (last === undefined) throw new Error("no webhook came");
  return last;
}

/** Verifies as fal's documentation describes. */
async function isSigned({ headers, body }: (typeof received)[number]): Promise<boolean> {
  const reply = await fetch(`${test.gateway.url}/.well-known/jwks.json`);
  const { keys } = (await reply.json()) as { keys: JsonWebKey[] };
  const digest = createHash("sha256").update(body).digest("hex");
  const names = ["request-id", "user-id", "timestamp"].map((name) => `x-fal-webhook-${name}`);
  const message = Buffer.from([...names.map((name) => headers[name]), digest].join("\n"));
  const signature = Buffer.from(String(headers["x-fal-webhook-signature"]), "hex");
  const isFresh = Math.abs(Date.now() / 1000 - Number(headers["x-fal-webhook-timestamp"])) < 300;
  const isOwn = keys.some((key) =>
    verify(null, message, createPublicKey({ key, format: "jwk" }), signature),
  );
  return isFresh && isOwn;
}

it("are sent once, signed, with the result or the error", async () => {
  await start(["127.0.0.0/8"]);
  const id = await submit({ reply: '{"images":[]}' });
  const hook = await told(1);
  expect(JSON.parse(hook.body)).toEqual({
    ...{ request_id: id, gateway_request_id: id, status: "OK", payload: { images: [] } },
  });
  expect(hook.path).toBe("/hook?a=1");
  expect(await isSigned(hook)).toBe(true);
  expect(await isSigned({ ...hook, body: `${hook.body} ` })).toBe(false);
  await submit({ status: 422, reply: '{"detail":"no"}' });
  expect(JSON.parse((await told(2)).body)).toMatchObject({
    ...{ status: "ERROR", error: "Invalid status code: 422", payload: { detail: "no" } },
  });
  await submit({ reply: "text" });
  expect(JSON.parse((await told(3)).body)).toMatchObject({
    ...{ status: "OK", payload: null, payload_error: "The response is not valid JSON." },
  });
  await until(
    () => test.queue.store.find(id)?.webhookState,
    (state) => state === "delivered",
  );
  expect(received).toHaveLength(3);
});

it("are repeated after a failure, also by another control plane", async () => {
  await start(["127.0.0.1/32"]);
  onHook = (_request, response) => response.writeHead(500).end();
  const id = await submit({ reply: "{}" });
  await told(1);
  const failed = await until(
    () => test.queue.store.find(id),
    (request) => request?.webhookAttempts === 1,
  );
  expect(failed).toMatchObject({
    webhookState: "pending",
    webhookFault: expect.stringContaining("status 500"),
  });
  expect((failed?.webhookAt ?? 0) - Date.now()).toBeGreaterThan(1000);
  await test.stopQueue();
  await test.startQueue();
  onHook = (_request, response) => response.end();
  await told(2);
  await until(
    () => test.queue.store.find(id)?.webhookState,
    (state) => state === "delivered",
  );
});

it("are refused for this machine and its network, after a redirect too", async () => {
  await start([]);
  for (const hook of [url, "http://localhost:1/", "http://[::1]/", "http://10.0.0.1/"]) {
    await expect(submit({ reply: "{}" }, hook)).rejects.toThrow("not on the public internet");
  }
  for (const hook of ["ftp://example.org/", "nonsense", `http://a.example/${"x".repeat(3000)}`]) {
    await expect(submit({ reply: "{}" }, hook)).rejects.toThrow("is not an http or https URL");
  }
  await test.close();
  await start(["127.0.0.1/32"]);
  onHook = (_request, response) => {
    response.writeHead(307, { location: "http://127.0.0.2:1/" }).end();
  };
  const id = await submit({ reply: "{}" });
  const request = await until(
    () => test.queue.store.find(id),
    (found) => found?.webhookFault !== undefined,
  );
  expect(request?.webhookFault).toContain("it is not on the public internet");
});
