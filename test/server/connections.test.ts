// Clients that speak HTTP in odd ways, over bare sockets.
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sendBytes } from "../support/http-raw.ts";
import { StoreServer } from "../support/store-server.ts";
import type { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

let store: StoreServer;
let server: TestServer;
beforeAll(async () => {
  store = await StoreServer.start({}, { bodyRate: { bytes: 100, windowMs: 50 } });
  ({ server } = store);
});
afterAll(async () => {
  expect((await server.send("/")).status).toBe(200);
  await store.close();
});

const digest = `sha256:${"0".repeat(64)}`;

test.each(["/api/chat", `/api/blobs/${digest}`])(
  "a stalled body is refused and its connection closed: %s",
  async (path) => {
    const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n`;
    const reply = await sendBytes(server.url, `${head}half`);
    expect(reply).toMatch(/^HTTP\/1\.1 408 /);
    expect(reply).toContain("SERVER_REQUEST_TOO_SLOW");
    expect(reply).toContain("less than 100 B in 0.05 s");
    await until(
      () => store.blobs(),
      (blobs) => blobs.length === 0,
    );
  },
);

test("many requests at once on one connection are answered without a warning", async () => {
  const warnings: string[] = [];
  const note = ({ name, message }: Error) => void warnings.push(`${name}: ${message}`);
  process.on("warning", note);
  const request = "GET /api/version HTTP/1.1\r\nHost: localhost\r\n";
  const last = `${request}Connection: close\r\n\r\n`;
  const reply = await sendBytes(server.url, `${request}\r\n`.repeat(59) + last);
  expect(reply.match(/HTTP\/1\.1 200 /g)).toHaveLength(60);
  // Node reports warnings in a later turn.
  await new Promise((resolve) => setImmediate(resolve));
  process.off("warning", note);
  expect(warnings).toEqual([]);
});

test("an unwanted body does not hold its connection forever", async () => {
  const head = "GET /api/version HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n";
  expect(await sendBytes(server.url, `${head}half`)).toMatch(/^HTTP\/1\.1 200 /);
});

test.each([
  "identity",
  "gzip, chunked",
  "chunked, chunked",
  "chunked, gzip",
  "identity, chunked",
  "deflate\r\nTransfer-Encoding: chunked",
  "",
])("a transfer coding other than chunked is refused in words: %j", async (coding) => {
  for (const path of ["/api/chat", "/api/version"]) {
    const reply = await sendBytes(
      server.url,
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTransfer-Encoding: ${coding}\r\n\r\n` +
        "2\r\n{}\r\n0\r\n\r\n",
    );
    expect(reply).toMatch(/^HTTP\/1\.1 400 /);
    expect(reply).toContain("SERVER_TRANSFER_CODING_UNKNOWN");
    expect(reply.match(/HTTP\/1\.1/g)).toHaveLength(1);
  }
});

describe("a client that half-closes its connection after a request", () => {
  const ask = (stream: boolean, prompt: string, options = {}) => {
    const body = JSON.stringify({ model: "tiny", prompt, stream, options });
    return `POST /api/generate HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  };

  test("gets its reply, parts of which may come earlier", async () => {
    const version = "GET /api/version HTTP/1.1\r\nHost: localhost\r\n\r\n";
    const send = async (bytes: string) => await sendBytes(server.url, bytes, true);
    expect(await send(version)).toContain('{"version":');
    expect((await send(version.repeat(30))).match(/{"version"/g)).toHaveLength(30);
    expect(await send(ask(false, "What is 2 + 3?"))).toContain('"response":"2 + 3 = 5"');
    expect(await send(ask(true, "What is 2 + 3?"))).toContain('"done":true');
  });

  test.each([true, false])("and disconnects stops its answer: stream %s", async (stream) => {
    /** Leaves as soon as the answer has begun. @returns the request as it ended */
    const askAndLeave = async () => {
      const known = (await server.requests()).at(-1)?.id;
      const socket = connect({ port: Number(new URL(server.url).port), allowHalfOpen: true });
      // Words that were said become likelier: the answer runs until the window is full.
      socket.end(ask(stream, "Write a long story.", { temperature: 0, frequency_penalty: -2 }));
      const last = async () => (await server.requests()).at(-1);
      await until(last, (record) => record !== undefined && record.id !== known);
      socket.destroy();
      return await until(last, (record) => record?.state !== "running");
    };
    // The tiny model fills its window in a moment: on a busy machine it may be done before the client leaves.
    const left = await until(askAndLeave, (record) => record?.state === "cancelled");
    expect(left).toMatchObject({ status: 499 });
  });
});
