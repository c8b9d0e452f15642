// Clients with unusual HTTP, over raw sockets.
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { sendBytes } from "../../support/http-raw.ts";
import { TestGateway } from "../../support/test-gateway.ts";
import { until } from "../../support/until.ts";

let gateway: TestGateway;
/** Replies that the replica has started but not ended. */
let held: ServerResponse[];
beforeAll(async () => {
  const uploadRate = { bytes: 100, windowMs: 500 };
  gateway = await TestGateway.start({ limits: { uploadRate, lingerMs: 50 } });
  await gateway.serve(({ url }, response) => {
    if (url === "/events") response.setHeader("content-type", "text/event-stream");
    if (url === "/events") response.write("data: 1\n\n");
    held.push(response);
  });
});
beforeEach(() => {
  held = [];
});
afterAll(async () => await gateway.close());

test("a slow body is refused even if a replica already reads it", async () => {
  const head = "POST /acme/chat HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  const reply = await sendBytes(gateway.url, `${head}4\r\nhalf\r\n`);
  expect(reply).toMatch(/^HTTP\/1\.1 408 /);
  expect(reply).toContain('"error_type":"request_stalled"');
  expect(gateway.gateway.table.inFlight("replica-1")).toBe(0);
});

test.each(["/acme/nowhere", "/_/healthz"])(
  "an unread body does not hold its connection forever: %s",
  async (path) => {
    const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n`;
    expect(await sendBytes(gateway.url, `${head}half`)).toMatch(/^HTTP\/1\.1 [24]/);
  },
);

test.each([
  "identity",
  "gzip, chunked",
  "chunked, chunked",
  "chunked, gzip",
  "identity, chunked",
  "deflate\r\nTransfer-Encoding: chunked",
  "",
])("a transfer coding other than chunked is refused in words: %j", async (coding) => {
  const reply = await sendBytes(
    gateway.url,
    `POST /acme/chat HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: ${coding}\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  );
  expect(reply).toMatch(/^HTTP\/1\.1 400 /);
  expect(reply).toContain("Transfer-Encoding of the request is not known");
  expect(reply.match(/HTTP\/1\.1/g)).toHaveLength(1);
  expect(held).toEqual([]);
});

test("invalid HTTP after a request is not answered in place of its reply", async () => {
  const first = "GET /acme/chat HTTP/1.1\r\nHost: a\r\n\r\n";
  expect(await sendBytes(gateway.url, `${first}nonsense\r\n\r\n`)).toBe("");
  const refused = "GET /acme/nowhere HTTP/1.1\r\nHost: a\r\n\r\n";
  const replies = await sendBytes(gateway.url, `${refused}nonsense\r\n\r\n`);
  expect(replies.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 401", "HTTP/1.1 400"]);
});

test.each([0, 20])("an invalid body is refused in words, even %i ms later", async (pauseMs) => {
  const head = "POST /acme/chat HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  let reply = "";
  socket.on("data", (piece) => {
    reply += String(piece);
  });
  socket.write(pauseMs === 0 ? `${head}nonsense\r\n` : head);
  if (pauseMs > 0) setTimeout(() => socket.write("nonsense\r\n"), pauseMs);
  await once(socket, "close");
  expect(reply).toMatch(/^HTTP\/1\.1 400 /);
  expect(reply.match(/HTTP\/1\.1/g)).toHaveLength(1);
});

describe.each(["", "/events"])(
  "a client that closes its sending side after a request for %j",
  (path) => {
    const bytes = `GET /acme/chat${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
    const asked = async () =>
      await until(
        () => held[0],
        (response) => response !== undefined,
      );

    test("gets its response", async () => {
      const reply = sendBytes(gateway.url, bytes, true);
      (await asked())?.end("answer");
      expect(await reply).toContain("answer");
    });

    test("and disconnects ends the replica's work", async () => {
      const client = connect({ port: Number(new URL(gateway.url).port), allowHalfOpen: true });
      client.end(bytes);
      const response = await asked();
      client.destroy();
      await expect.poll(() => response?.destroyed).toBe(true);
      expect(gateway.records.at(-1)).toMatchObject({ status: 499 });
    });
  },
);
