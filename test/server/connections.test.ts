// Clients that speak HTTP in odd ways, over bare sockets.
import { afterAll, beforeAll, expect, test } from "vitest";
import { sendBytes } from "../support/http-raw.ts";
import { TestServer } from "../support/test-server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({}, { bodyRate: { bytes: 100, windowMs: 50 } });
});
afterAll(async () => {
  expect((await server.send("/")).status).toBe(200);
  await server.close();
});

const digest = `sha256:${"0".repeat(64)}`;

test.each(["/api/chat", `/api/blobs/${digest}`])(
  "a body that stops coming is refused, and its connection closed: %s",
  async (path) => {
    const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n`;
    const reply = await sendBytes(server.url, `${head}half`);
    expect(reply).toMatch(/^HTTP\/1\.1 408 /);
    expect(reply).toContain("SERVER_REQUEST_TOO_SLOW");
    expect(reply).toContain("less than 100 B in 0.05 s");
  },
);

test("a body that nobody wants holds no connection for ever", async () => {
  const head = "GET /api/version HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n";
  expect(await sendBytes(server.url, `${head}half`)).toMatch(/^HTTP\/1\.1 200 /);
});
