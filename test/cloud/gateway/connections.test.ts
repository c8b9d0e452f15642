// Clients that speak HTTP in odd ways, over bare sockets.
import { afterAll, beforeAll, expect, test } from "vitest";
import { sendBytes } from "../../support/http-raw.ts";
import { TestGateway } from "../../support/test-gateway.ts";

let gateway: TestGateway;
beforeAll(async () => {
  const uploadRate = { bytes: 100, windowMs: 50 };
  gateway = await TestGateway.start({ limits: { uploadRate, lingerMs: 50 } });
  await gateway.serve((request, response) => {
    request.resume();
    request.once("end", () => response.end("answer"));
  });
});
afterAll(async () => await gateway.close());

test("a body that drips is refused where a replica reads it already, too", async () => {
  const head = "POST /acme/chat HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  const reply = await sendBytes(gateway.url, `${head}4\r\nhalf\r\n`);
  expect(reply).toMatch(/^HTTP\/1\.1 408 /);
  expect(reply).toContain('"error_type":"request_stalled"');
  expect(gateway.gateway.inFlight("replica-1")).toBe(0);
});

test.each(["/acme/nowhere", "/_/healthz"])(
  "a body that nobody wants holds no connection for ever: %s",
  async (path) => {
    const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n`;
    expect(await sendBytes(gateway.url, `${head}half`)).toMatch(/^HTTP\/1\.1 [24]/);
  },
);
