// Requests without a valid key: refusals and their errors.
import { writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { sendRaw } from "../support/http-raw.ts";
import { KeyedServer } from "../support/keyed-server.ts";
import type { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

const question = { model: "tiny", prompt: "What is the capital of France?", stream: false };
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

// A new address for each test: failures from one address are slowed down.
let keyed: KeyedServer;
let server: TestServer;
beforeEach(async () => {
  keyed = await KeyedServer.start();
  server = keyed.server;
});
afterEach(async () => await keyed.close());

describe("without a valid key", () => {
  test("a request is refused in its API's error shape, with advice", async () => {
    const native = await server.post("/api/generate", question);
    expect([native.status, native.headers.get("www-authenticate")]).toEqual([
      401,
      'Bearer realm="modelctl"',
    ]);
    expect(native.json).toEqual({
      error: expect.stringContaining("Authorization: Bearer mk_"),
      code: "SERVER_KEY_MISSING",
    });
    expect((await server.post("/v1/chat/completions", {})).json).toEqual({
      error: {
        message: expect.stringContaining("key"),
        type: "api_error",
        param: null,
        code: "SERVER_KEY_MISSING",
      },
    });
    expect((await server.post("/v1/messages", {})).json).toMatchObject({
      type: "error",
      error: { type: "authentication_error" },
    });
  });

  test.each([
    ["GET", "/api/tags"],
    ["GET", "/v1/models"],
    ["POST", "/api/chat"],
    ["DELETE", "/api/delete"],
    ["GET", "/metrics"],
    ["GET", "/api/requests"],
    ["GET", "/openapi.json"],
    ["GET", "/no/such/route"],
    ["HEAD", "/api/tags"],
  ])("%s %s is closed", async (method, path) => {
    expect((await server.send(path, { method })).status).toBe(401);
  });

  test.each([
    ["GET", "/", 200],
    ["HEAD", "/", 200],
    ["GET", "/api/version", 200],
    ["GET", "/health", 200],
    ["GET", "/?x=1", 200],
  ])("%s %s is open, as a sign that a server runs", async (method, path, status) => {
    expect((await server.send(path, { method })).status).toBe(status);
  });

  test("a page's preflight is answered, as it carries no key", async () => {
    const { status } = await server.send("/v1/chat/completions", {
      method: "OPTIONS",
      headers: { origin: "http://localhost:3000", "access-control-request-method": "POST" },
    });
    expect(status).toBe(204);
  });

  test.each([
    ["Basic dXNlcjpwYXNz", "SERVER_KEY_HEADER_MALFORMED", "scheme 'Basic'"],
    ["Bearer", "SERVER_KEY_HEADER_MALFORMED", "no key after 'Bearer'"],
    ["Bearer a b", "SERVER_KEY_HEADER_MALFORMED", "more than one word"],
    ["mk_secretsecretsecret", "SERVER_KEY_HEADER_MALFORMED", "no scheme"],
    ["sk-mysecret:with more", "SERVER_KEY_HEADER_MALFORMED", "no scheme"],
    ["Bearer sk-1234567890", "SERVER_KEY_INVALID", "mistyped, unknown, revoked or expired"],
  ])(
    "Authorization: %s has its own error, without repeating it",
    async (authorization, code, words) => {
      const { status, json, text } = await server.send("/api/tags", { headers: { authorization } });
      expect([status, json]).toEqual([401, { error: expect.stringContaining(words), code }]);
      expect(text).not.toMatch(/secret|sk-|dXNl/);
    },
  );

  test("two Authorization headers are refused", async () => {
    const headers = { authorization: [`Bearer ${keyed.token()}`, "Bearer x"] } as unknown as Record<
      string,
      string
    >;
    const { status, text } = await sendRaw(`${server.url}/api/tags`, { headers });
    expect([status, text]).toEqual([401, expect.stringContaining("two Authorization headers")]);
  });

  test("a revoked and an expired key look like an unknown one", async () => {
    const revoked = keyed.token();
    keyed.keys.revoke(revoked);
    const { token: expired } = keyed.keys.create({ name: "", role: "infer", expiresAt: 1 });
    const { token: unknown } = keyed.keys.create({ name: "", role: "infer", expiresAt: 1 });
    const texts = await Promise.all(
      [revoked, expired, unknown].map(
        async (key) => (await server.send("/api/tags", { headers: bearer(key) })).text,
      ),
    );
    expect(new Set(texts).size).toBe(1);
    expect(texts[0]).toContain("SERVER_KEY_INVALID");
  });

  test("the refusal does not wait for the body", async () => {
    const { status } = await sendRaw(`${server.url}/api/chat`, {
      method: "POST",
      headers: { "content-length": "1000000" },
    });
    expect(status).toBe(401);
  });
});

test("failures are logged once a minute and slowed down, while valid keys work", async () => {
  const key = keyed.token();
  const fail = async () => (await server.send("/api/tags", { headers: bearer("mk_x") })).status;
  const statuses = [];
  for (let attempt = 0; attempt < 22; attempt += 1) statuses.push(await fail());
  expect(statuses).toEqual([...Array<number>(20).fill(401), 429, 429]);
  expect((await server.send("/api/tags", { headers: bearer(key) })).status).toBe(200);
  expect(server.log.filter((line) => line.includes("was refused"))).toEqual([
    expect.stringMatching(/127\.0\.0\.1 was refused: SERVER_KEY_INVALID$/),
  ]);
});

test("an unusable key file lets in only the owner", async () => {
  const key = keyed.token();
  writeFileSync(keyed.keys.file, "no database ".repeat(100));
  const ask = async (headers: Record<string, string>) =>
    (await server.send("/api/tags", { headers })).status;
  await until(
    async () => await ask(bearer(key)),
    (status) => status === 500,
  );
  expect(await ask({ "x-modelctl-owner": server.hosted.ownerToken })).toBe(200);
});
