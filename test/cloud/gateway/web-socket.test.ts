// WebSockets through the gateway, with real clients and a real server, and refused handshakes.
import type { IncomingMessage } from "node:http";
import { afterEach, beforeEach, expect, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { cloudKey, keysBy, routedApp } from "../../support/cloud-documents.ts";
import { sendBytes } from "../../support/http-raw.ts";
import { TestGateway, type TestReplica } from "../../support/test-gateway.ts";
import { until } from "../../support/until.ts";

let gateway: TestGateway;
let replica: TestReplica;
let sockets: WebSocketServer;
let seen: IncomingMessage[];
beforeEach(async () => {
  gateway = await TestGateway.start({ keys: keysBy({ token: cloudKey() }) });
  replica = await gateway.addReplica((_, response) => response.writeHead(426).end("no socket"));
  sockets = new WebSocketServer({ server: replica.server, path: "/v1/realtime" });
  seen = [];
  sockets.on("connection", (socket, request) => {
    seen.push(request);
    socket.send("welcome");
    socket.on("message", (data, isBinary) => socket.send(data, { binary: isBinary }));
  });
  gateway.gateway.table.publish([routedApp({ auth: "private", replicas: [replica.routed()] })]);
});
afterEach(async () => {
  sockets.close();
  for (const client of sockets.clients) client.terminate();
  await gateway.close();
});

const address = (path = "/v1/realtime?model=m") => {
  return `${gateway.url.replace("http", "ws")}/acme/chat${path}`;
};

function dial(path?: string, headers: Record<string, string> = { authorization: "Key token" }) {
  const socket = new WebSocket(address(path), ["realtime"], { headers });
  const messages: string[] = [];
  socket.on("message", (data) => messages.push(String(data)));
  socket.on("error", () => {});
  return { socket, messages };
}

test("bytes go both ways, and a tunnel counts as one request while it lasts", async () => {
  const { socket, messages } = dial();
  await expect.poll(() => messages.length).toBe(1);
  const large = "x".repeat(200_000);
  socket.send(large);
  await expect.poll(() => messages.length).toBe(2);
  expect(messages).toEqual(["welcome", large]);
  expect(gateway.gateway.table.inFlight("replica-1")).toBe(1);
  const [request] = seen;
  expect(request?.url).toBe("/v1/realtime?model=m");
  expect(request?.headers).toMatchObject({
    "x-forwarded-prefix": "/acme/chat",
    "x-dctl-key-id": "aaaabbbbcccc",
    "sec-websocket-protocol": "realtime",
  });
  expect(request?.headers.authorization).toBeUndefined();
  socket.close();
  const record = await gateway.record();
  expect(record).toMatchObject({ status: 101, replica: "replica-1", errorType: undefined });
  expect(record.receivedBytes).toBeGreaterThan(large.length);
  expect(gateway.gateway.table.inFlight("replica-1")).toBe(0);
});

test("closing either side closes the other", async () => {
  const first = dial();
  await expect.poll(() => first.messages.length).toBe(1);
  first.socket.terminate();
  await expect.poll(() => sockets.clients.size).toBe(0);
  const second = dial();
  await expect.poll(() => second.messages.length).toBe(1);
  for (const client of sockets.clients) client.terminate();
  await expect.poll(() => second.socket.readyState).toBe(WebSocket.CLOSED);
});

test.each([
  ["no key", {}, 401],
  ["a wrong key", { authorization: "Key wrong" }, 401],
] as const)("%s is refused without asking a replica", async (_, headers, status) => {
  const { socket } = dial(undefined, headers);
  const answer = await new Promise<IncomingMessage>((resolve) => {
    socket.once("unexpected-response", (_request, response) => resolve(response));
  });
  expect(answer.statusCode).toBe(status);
  expect(answer.headers["x-dctl-error-type"]).toMatch(/^auth_/);
  expect(seen).toEqual([]);
});

test("a replica's reply without an upgrade reaches the client", async () => {
  const { socket } = dial("/elsewhere");
  const answer = await new Promise<IncomingMessage>((resolve) => {
    socket.once("unexpected-response", (_request, response) => resolve(response));
  });
  expect(answer.statusCode).toBe(400);
  expect(answer.headers["x-dctl-replica"]).toBe("replica-1");
});

test("a handshake waits for a replica like any request, and can time out", async () => {
  gateway.gateway.table.publish([routedApp({ auth: "private" })]);
  const demand = () => gateway.gateway.table.demand("acme", "chat");
  const impatient = dial();
  await until(demand, ({ queued }) => queued === 1);
  impatient.socket.terminate();
  await until(demand, ({ queued }) => queued === 0);
  const patient = dial();
  await until(demand, ({ queued }) => queued === 1);
  gateway.gateway.table.publish([routedApp({ auth: "private", replicas: [replica.routed()] })]);
  await expect.poll(() => patient.messages).toContain("welcome");
  patient.socket.close();
});

test("a missing replica is an error", async () => {
  await replica.close();
  const reply = await sendBytes(
    gateway.url,
    "GET /acme/chat/x HTTP/1.1\r\nHost: a\r\nAuthorization: Key token\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-Dctl-No-Retry: 1\r\n\r\n",
  );
  expect(reply).toMatch(/^HTTP\/1\.1 503 /);
  expect(reply).toContain('"error_type":"runner_connection_refused"');
});

test("another protocol's upgrade is ignored, and the request passed on with its body", async () => {
  const reply = await sendBytes(
    gateway.url,
    "POST /acme/chat/x HTTP/1.1\r\nHost: a\r\nAuthorization: Key token\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\nContent-Length: 2\r\n\r\nab" +
      "GET /acme/other HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
  );
  expect(reply).toMatch(/^HTTP\/1\.1 426 /);
  expect(reply).toContain("no socket");
  expect(reply).toContain('"error_type":"auth_missing"');
});

test("CONNECT is refused", async () => {
  expect(await sendBytes(gateway.url, "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n")).toMatch(
    /^HTTP\/1\.1 405 /,
  );
});

test("revoking a key with --hard ends its tunnels", async () => {
  const { socket, messages } = dial();
  await expect.poll(() => messages.length).toBe(1);
  expect(gateway.gateway.cutRequestsOf("aaaabbbbcccc")).toBe(1);
  await expect.poll(() => socket.readyState).toBe(WebSocket.CLOSED);
});
