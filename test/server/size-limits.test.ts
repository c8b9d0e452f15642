// Oversized requests are refused at once with an explanation, and the server keeps running.
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sendBytes, sendRaw } from "../support/http-raw.ts";
import { TestServer } from "../support/test-server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({ max_body_size: 100_000, max_image_size: 3000 });
});
afterAll(async () => {
  expect((await server.send("/")).status).toBe(200);
  await server.close();
});

test("a body: by its announced length, before it is sent", async () => {
  const { status, text } = await sendRaw(`${server.url}/api/chat`, {
    method: "POST",
    headers: { "content-length": "100001" },
  });
  expect([status, JSON.parse(text)]).toMatchObject([
    413,
    { code: "SERVER_BODY_TOO_LARGE", error: expect.stringContaining("raise max_body_size") },
  ]);
});

test("a conversation with more messages than can be shortened", async () => {
  const own = await TestServer.start();
  const messages = Array.from({ length: 20_001 }, () => ({ role: "user", content: "a" }));
  const reply = await own.post("/api/chat", { model: "tiny", messages, truncate: true });
  expect(reply).toMatchObject({ status: 400, json: { code: "ENGINE_PROMPT_TOO_LONG" } });
  expect(reply.text).toContain("has 20001 messages; at most 20000 can be shortened. Leave out");
  await own.close();
});

test("a body of unknown length: as soon as it is too large", async () => {
  const body = `{"model":"${"x".repeat(200_000)}"}`;
  const head =
    "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
  const reply = await sendBytes(
    server.url,
    `${head}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
  );
  expect(reply).toMatch(/^HTTP\/1\.1 413 /);
  expect(reply).toContain("SERVER_BODY_TOO_LARGE");
});

test.each([
  ["/api/chat", "think"],
  ["/api/chat", "format"],
  ["/api/create", "parameters"],
  ["/v1/responses", "text"],
  ["/v1/chat/completions", "messages"],
])("a deeply nested body: %s %s", async (route, field) => {
  const deep = `${'{"a":['.repeat(5000)}${"]}".repeat(5000)}`;
  const { status, text } = await sendRaw(`${server.url}${route}`, {
    method: "POST",
    body: `{"model":"tiny","${field}":${deep}}`,
  });
  expect(status).toBe(400);
  expect(text).toContain("nested too deeply: the limit is 512 levels");
});

test("a compressed body: by its unpacked size", async () => {
  const body = gzipSync(`{"model":"${"x".repeat(200_000)}"}`);
  expect(body.length).toBeLessThan(1000);
  const { status, text } = await sendRaw(`${server.url}/api/chat`, {
    method: "POST",
    headers: { "content-encoding": "gzip", "content-length": String(body.length) },
    body,
  });
  // Uncompressed it would be too large as well.
  expect([status, JSON.parse(text)]).toMatchObject([
    413,
    {
      code: "SERVER_BODY_TOO_LARGE",
      error: expect.stringMatching(/limit of 98 KiB\. .*raise max_body_size/),
    },
  ]);
});

test("headers", async () => {
  const reply = await sendBytes(
    server.url,
    `GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: ${"x".repeat(40_000)}\r\n\r\n`,
  );
  expect(reply).toMatch(/^HTTP\/1\.1 431 /);
  expect(JSON.parse(reply.split("\r\n\r\n")[1] ?? "")).toEqual({
    error: expect.stringContaining("32 KiB"),
    code: "SERVER_HEADER_TOO_LARGE",
  });
});

test("a URL", async () => {
  const { status, json } = await server.send(`/v1/models/${"x".repeat(9000)}`);
  expect([status, json]).toMatchObject([414, { error: { code: "SERVER_URL_TOO_LONG" } }]);
});

test("invalid HTTP", async () => {
  for (const bytes of ["hello\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\u0016\u0003\u0001\u0002"]) {
    const reply = await sendBytes(server.url, bytes);
    expect(reply).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(reply).toContain("cannot be read as HTTP");
  }
});

describe("an image", () => {
  const base64 = (sizeBytes: number) => Buffer.alloc(sizeBytes, 1).toString("base64");
  const user = (content: unknown) => ({ messages: [{ role: "user", content }] });
  const urlOf = (data: string) => `data:image/png;base64,${data}`;
  const source = (data: string) => ({ type: "base64", media_type: "image/png", data });
  const block = (data: string) => ({ type: "image", source: source(data) });
  const cases: Array<[path: string, place: string, body: (data: string) => object]> = [
    ["/api/generate", "images.0", (data) => ({ prompt: "x", images: [data] })],
    [
      "/api/chat",
      "messages.0.images.1",
      (data) => ({ messages: [{ role: "user", content: "x", images: ["", data] }] }),
    ],
    [
      "/v1/chat/completions",
      "messages.0.content.0",
      (data) => user([{ type: "image_url", image_url: { url: urlOf(data) } }]),
    ],
    ["/v1/messages", "messages.0.content.0", (data) => ({ max_tokens: 1, ...user([block(data)]) })],
    [
      "/v1/messages",
      "messages.0.content.0.content.0",
      (data) => ({
        max_tokens: 1,
        ...user([{ type: "tool_result", tool_use_id: "a", content: [block(data)] }]),
      }),
    ],
    [
      "/v1/responses",
      "input.0.output.0",
      (data) => {
        const image = { type: "input_image", image_url: urlOf(data) };
        return { input: [{ type: "function_call_output", call_id: "a", output: [image] }] };
      },
    ],
  ];

  test.each(cases)("in %s is reported with its position, %s", async (path, place, body) => {
    const large = await server.post(path, { model: "tiny", ...body(base64(3100)) });
    expect([large.status, large.text]).toEqual([413, expect.stringContaining(`'${place}'`)]);
    expect(large.text).toContain("SERVER_IMAGE_TOO_LARGE");
    const small = await server.post(path, { model: "tiny", ...body(base64(2900)) });
    expect(small.status).toBe(400); // the model has no vision
  });
});

describe("no path leads out of the folders", () => {
  test.each([
    "/etc/passwd",
    "../../etc/passwd",
    "..%2f..%2fetc%2fpasswd",
    "file:///etc/passwd",
    "/proc/self/environ",
    "./package.json",
    "~/.ssh/id_rsa",
    "\\\\server\\share",
    "tiny/../../../etc/passwd",
    "\u0000/etc/passwd",
  ])("%j is an unknown model everywhere", async (name) => {
    const message = { role: "user", content: "x" };
    for (const [path, body] of [
      ["/api/generate", { model: name, prompt: "x" }],
      ["/api/show", { model: name }],
      ["/v1/chat/completions", { model: name, messages: [message] }],
    ] as const) {
      const { status, text } = await server.post(path, body);
      expect([400, 403, 404]).toContain(status);
      expect(text).not.toMatch(/root:|HOME=/);
    }
    const { status } = await server.send(`/v1/models/${encodeURIComponent(name)}`);
    expect([400, 403, 404]).toContain(status);
  });
});
