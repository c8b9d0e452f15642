// Shutdown of the gateway with running requests, and revoked keys.
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { Agent } from "node:http";
import { connect } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { cloudKey, keysBy, routedApp } from "../../support/cloud-documents.ts";
import { sendRaw } from "../../support/http-raw.ts";
import { TestGateway } from "../../support/test-gateway.ts";

let gateway: TestGateway;
let held: ServerResponse[];
let url: string;
beforeEach(async () => {
  gateway = await TestGateway.start({ keys: keysBy({ token: cloudKey() }) });
  held = [];
  url = await gateway.serve((_, response) => void held.push(response));
});
afterEach(async () => {
  await gateway.close();
});

test("running requests finish, queued and new ones are refused, then the port closes", async () => {
  const scale = { ...routedApp().scale, maxMultiplexing: 1 };
  const running = sendRaw(url, {});
  await expect.poll(() => held.length).toBe(1);
  gateway.gateway.table.publish([routedApp({ scale })]);
  const waiting = sendRaw(url, {});
  await expect.poll(() => gateway.gateway.table.demand("acme", "chat").queued).toBe(1);
  let isClosed = false;
  const closing = gateway.gateway.close({ drainMs: 10_000 }).then(() => {
    isClosed = true;
  });
  for (const reply of [await waiting, await sendRaw(url, {})]) {
    expect(reply.status).toBe(503);
    expect(reply.headers).toMatchObject({
      "x-dctl-error-type": "shutting_down",
      connection: "close",
    });
  }
  expect((await sendRaw(`${gateway.url}/_/readyz`, {})).status).toBe(503);
  expect((await sendRaw(`${gateway.url}/_/healthz`, {})).status).toBe(200);
  expect(isClosed).toBe(false);
  held[0]?.end("to the end");
  expect((await running).text).toBe("to the end");
  await closing;
  await expect(sendRaw(url, {})).rejects.toThrow("ECONNREFUSED");
});

test.each([
  ["a tunnel", "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n", 405],
  [
    "a WebSocket",
    "GET /acme/none HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
    401,
  ],
])("who was refused %s and stays does not hold it up", async (_, head, status) => {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  socket.on("error", () => {}); // it is cut
  socket.write(head);
  const [reply] = await once(socket, "data");
  expect(String(reply)).toContain(`HTTP/1.1 ${status} `);
  await gateway.close();
  socket.destroy();
});

test("requests that take too long get the reason, and idle connections close", async () => {
  const agent = new Agent({ keepAlive: true });
  const idle = fetch(`${gateway.url}/_/healthz`);
  expect((await idle).status).toBe(200);
  const running = sendRaw(url, {});
  await expect.poll(() => held.length).toBe(1);
  const restOfStream = await begin({ "content-type": "text/event-stream" }, "data: one\n\n");
  const restOfPlain = await begin({ "content-length": "100" }, "half");
  await gateway.gateway.close({ drainMs: 10 });
  const reply = await running;
  expect([reply.status, reply.headers["x-dctl-error-type"]]).toEqual([503, "shutting_down"]);
  expect(await restOfStream()).toMatch(/^data: .*"type":"shutting_down".*\n\n$/);
  // A partial response is recognisable.
  await expect(restOfPlain()).rejects.toThrow();
  await expect.poll(() => held[0]?.destroyed).toBe(true);
  agent.destroy();
});

/** @returns a function that reads the next text */
async function begin(
  headers: Record<string, string>,
  text: string,
): Promise<() => Promise<string>> {
  const place = held.length;
  const asked = fetch(url);
  await expect.poll(() => held.length).toBeGreaterThan(place);
  held[place]?.writeHead(200, headers).write(text);
  const reader = (await asked).body?.getReader();
  const next = async () => new TextDecoder().decode((await reader?.read())?.value);
  expect(await next()).toBe(text);
  return next;
}

test("a second stop with a shorter limit does not wait for the first", async () => {
  const running = sendRaw(url, {});
  await expect.poll(() => held.length).toBe(1);
  const patient = gateway.gateway.close({ drainMs: 60_000 });
  await gateway.gateway.close({ drainMs: 0 });
  await patient;
  expect((await running).status).toBe(503);
});

test("revoking a key with --hard ends its running requests, others continue", async () => {
  gateway.gateway.table.publish([
    routedApp({
      auth: "private",
      replicas: [...(await replicas())],
    }),
  ]);
  const mine = sendRaw(url, { headers: { authorization: "Key token" } });
  await expect.poll(() => held.length).toBe(1);
  expect(gateway.gateway.cutRequestsOf("someone else")).toBe(0);
  expect(gateway.gateway.cutRequestsOf("aaaabbbbcccc")).toBe(1);
  const reply = await mine;
  expect([reply.status, reply.headers["x-dctl-error-type"]]).toEqual([401, "key_revoked"]);
  await expect.poll(() => held[0]?.destroyed).toBe(true);
});

async function replicas() {
  const replica = await gateway.addReplica((_, response) => void held.push(response), "mine");
  return [replica.routed()];
}
