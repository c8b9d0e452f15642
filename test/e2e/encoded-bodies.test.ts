// Compressed request bodies.
import zlib from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { sendRaw } from "../support/http-raw.ts";
import { sharedServer } from "../support/shared-server.ts";
import type { TestServer } from "../support/test-server.ts";

let server: TestServer;

beforeAll(async () => {
  server = await sharedServer();
});

const quick = { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 };
const pack: Array<[string, (body: Buffer) => Buffer]> = [
  ["gzip", zlib.gzipSync],
  ["deflate", zlib.deflateSync],
  // At its best it would take seconds for 20 MiB.
  ["br", (body) => zlib.brotliCompressSync(body, { params: quick })],
];
// Not available in older versions of Node.
if ("zstdCompressSync" in zlib) pack.push(["zstd", (body) => zlib.zstdCompressSync(body)]);

const request = {
  model: "tiny",
  input: "What is 2 + 3?",
  messages: [{ role: "user", content: "What is 2 + 3?" }],
  max_tokens: 20,
  stream: false,
};
const packed = Buffer.from(JSON.stringify(request));

async function send(path: string, encoding: string, body: Buffer, headers = {}) {
  return await sendRaw(server.url + path, {
    method: "POST",
    headers: { "content-encoding": encoding, "content-type": "application/json", ...headers },
    body,
  });
}

describe.each(pack)("%s", (encoding, compress) => {
  test.each(["/v1/responses", "/v1/messages", "/v1/chat/completions", "/api/chat"])(
    "is decoded by %s",
    async (path) => {
      const { status, text } = await send(path, encoding, compress(packed));
      expect(status).toBe(200);
      expect(text).toContain("2 + 3 = 5");
    },
  );

  test("is decoded in chunks of unknown length and with a name in any letter case", async () => {
    const headers = { "transfer-encoding": "chunked" };
    const body = compress(packed);
    const { status, text } = await send("/v1/responses", encoding.toUpperCase(), body, headers);
    expect([status, text]).toEqual([200, expect.stringContaining("2 + 3 = 5")]);
  });

  test("that is truncated or not encoded at all is refused", async () => {
    for (const body of [compress(packed).subarray(0, -5), packed]) {
      const { status, text } = await send("/v1/responses", encoding, body);
      expect([status, JSON.parse(text)]).toMatchObject([
        400,
        { error: { type: "invalid_request_error", code: "SERVER_BODY_INVALID" } },
      ]);
    }
  });

  test("that unpacks to more than 20 MiB is refused", async () => {
    const body = compress(Buffer.alloc(20 * 1024 ** 2 + 1, " "));
    const { status, text } = await send("/v1/responses", encoding, body);
    expect(status).toBe(413);
    expect(text).toContain("20 MiB");
  });
});

test("a body that unpacks to 20 MiB is accepted", async () => {
  const fits = zlib.gzipSync(JSON.stringify(request).padEnd(20 * 1024 ** 2));
  expect((await send("/v1/responses", "gzip", fits)).status).toBe(200);
});

test("an unknown encoding is refused, listing the supported ones", async () => {
  for (const path of ["/v1/responses", "/v1/messages", "/api/chat"]) {
    const { status, text } = await send(path, "compress", packed);
    expect(status).toBe(415);
    expect(text).toContain("gzip");
  }
});

test("identity means no encoding", async () => {
  expect((await send("/v1/responses", "identity", packed)).status).toBe(200);
});

test("an unknown route is still a 404", async () => {
  expect((await send("/v1/nothing", "compress", packed)).status).toBe(404);
});
