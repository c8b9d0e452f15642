// Requests with a key: permissions of each role, and rate limits.
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { KeyedServer } from "../support/keyed-server.ts";
import type { TestServer } from "../support/test-server.ts";

const question = { model: "tiny", prompt: "What is the capital of France?", stream: false };
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

let keyed: KeyedServer;
let server: TestServer;
let token: string;
let manager: string;
beforeAll(async () => {
  keyed = await KeyedServer.start();
  server = keyed.server;
  token = keyed.token();
  manager = keyed.token("manage");
});
afterAll(async () => await keyed.close());

describe("with a key", () => {
  test("both headers are accepted, with the scheme in any case", async () => {
    for (const headers of [
      bearer(token),
      { authorization: `bearer ${token}` },
      { "x-api-key": token },
      { "x-api-key": token, authorization: "Basic eHg6eXk=" },
    ]) {
      expect((await server.send("/api/tags", { headers })).status).toBe(200);
    }
  });

  test("OpenAI's client works, and reports a missing key", async () => {
    const options = { baseURL: `${server.url}/v1`, maxRetries: 0 };
    const messages = [{ role: "user" as const, content: "What is the capital of France?" }];
    const body = { model: "tiny", messages, temperature: 0 };
    const answer = await new OpenAI({ ...options, apiKey: token }).chat.completions.create(body);
    expect(answer.choices[0]?.message.content).toBe("The capital of France is Paris.");
    const refused = new OpenAI({ ...options, apiKey: "sk-x" }).chat.completions.create(body);
    await expect(refused).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
  });

  test("Anthropic's client works, and reports a missing key", async () => {
    const options = { baseURL: server.url, maxRetries: 0, authToken: null };
    const body = {
      model: "tiny",
      max_tokens: 50,
      messages: [{ role: "user" as const, content: "What is the capital of France?" }],
      temperature: 0,
    };
    const answer = await new Anthropic({ ...options, apiKey: token }).messages.create(body);
    expect(answer.content).toMatchObject([{ text: "The capital of France is Paris." }]);
    const refused = new Anthropic({ ...options, apiKey: "sk-x" }).messages.create(body);
    await expect(refused).rejects.toBeInstanceOf(Anthropic.AuthenticationError);
  });

  test("its id is in the request's record, the key itself nowhere", async () => {
    await server.post("/api/generate", question, bearer(token));
    const { text, json } = await server.send("/api/requests?limit=1", { headers: bearer(manager) });
    const id = keyed.keys.verify(token)?.id;
    expect(json).toMatchObject({ requests: [{ keyId: id, status: 200 }] });
    expect(text + server.log.join()).not.toContain(token.slice(15, 50));
  });

  test("the owner's token is enough", async () => {
    const headers = { "x-modelctl-owner": server.hosted.ownerToken };
    expect((await server.send("/api/requests", { headers })).status).toBe(200);
    const wrong = { "x-modelctl-owner": "guess" };
    expect((await server.send("/api/requests", { headers: wrong })).status).toBe(401);
  });

  test("a new key works at once, and a revoked one stops working", async () => {
    const late = keyed.token();
    const ask = async () => (await server.send("/api/tags", { headers: bearer(late) })).status;
    expect(await ask()).toBe(200);
    keyed.keys.revoke(late);
    expect(await ask()).toBe(401);
  });
});

describe("the role infer", () => {
  test.each([
    ["DELETE", "/api/delete"],
    ["POST", "/api/create"],
    ["POST", "/api/copy"],
    ["POST", "/api/pull"],
    ["POST", "/api/push"],
    ["HEAD", `/api/blobs/sha256:${"0".repeat(64)}`],
    ["POST", `/api/blobs/sha256:${"0".repeat(64)}`],
    // The hub is asked with the token of the server's owner.
    ["GET", "/api/hub/repository"],
  ])("may not %s %s", async (method, path) => {
    const { status, headers } = await server.send(path, { method, headers: bearer(token) });
    expect(status).toBe(403);
    expect(headers.get("x-request-id")).toMatch(/^r-/);
    const allowed = await server.send(path, { method, headers: bearer(manager) });
    expect([401, 403]).not.toContain(allowed.status);
  });

  test("gets the reason", async () => {
    const { json } = await server.send("/api/delete", {
      method: "DELETE",
      headers: bearer(token),
    });
    expect(json).toEqual({
      error: expect.stringMatching(/role infer, and DELETE \/api\/delete needs the role manage/),
      code: "SERVER_KEY_FORBIDDEN",
    });
  });

  test.each([
    ["GET", "/api/tags"],
    ["GET", "/api/ps"],
    ["GET", "/api/capacity"],
    ["GET", "/v1/models"],
    ["GET", "/metrics"],
    ["GET", "/openapi.json"],
  ])("may %s %s", async (method, path) => {
    expect((await server.send(path, { method, headers: bearer(token) })).status).toBe(200);
  });

  test("gets 404 for an unknown route, not 403", async () => {
    expect((await server.send("/no/route", { headers: bearer(token) })).status).toBe(404);
  });

  test("sees only its own requests", async () => {
    const other = keyed.token();
    const mine = await server.post("/api/generate", question, bearer(token));
    const theirs = await server.post("/api/generate", question, bearer(other));
    const ids = (reply: { headers: Headers }) => reply.headers.get("x-request-id") ?? "";
    const seen = await server.send("/api/requests", { headers: bearer(token) });
    const all = (seen.json as { requests: Array<{ id: string }> }).requests.map(({ id }) => id);
    expect(all).toContain(ids(mine));
    expect(all).not.toContain(ids(theirs));
    const look = async (id: string, key: string) =>
      (await server.send(`/api/requests/${id}`, { headers: bearer(key) })).status;
    expect(await look(ids(mine), token)).toBe(200);
    expect(await look(ids(theirs), token)).toBe(404);
    expect(await look(ids(theirs), manager)).toBe(200);
  });

  test("cancels only its own requests", async () => {
    const other = keyed.token();
    const running = await fetch(`${server.url}/v1/chat/completions`, {
      method: "POST",
      // Continues until the window is full.
      body: JSON.stringify({
        model: "tiny",
        messages: [{ role: "user", content: "Write a long story." }],
        stream: true,
        ignore_eos: true,
      }),
      headers: bearer(token),
    });
    const id = running.headers.get("x-request-id");
    const cancel = async (key: string) =>
      (await server.post("/api/cancel", { id }, bearer(key))).status;
    expect([await cancel(other), await cancel(token)]).toEqual([404, 200]);
    await running.text();
  });
});

test("a key over its rate limit gets Retry-After; other keys are not affected", async () => {
  const limited = await KeyedServer.start({ key_requests_per_minute: 2 });
  const [first, second] = [limited.token(), limited.token()];
  const ask = async (key: string) =>
    await limited.server.send("/v1/models", { headers: bearer(key) });
  expect([(await ask(first)).status, (await ask(first)).status]).toEqual([200, 200]);
  const refused = await ask(first);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(refused.json).toMatchObject({ error: { code: "SERVER_RATE_LIMITED" } });
  expect((await ask(second)).status).toBe(200);
  await limited.close();
});

describe("without required keys", () => {
  let open: KeyedServer;
  beforeAll(async () => {
    open = await KeyedServer.start({ require_key: "auto" });
  });
  afterAll(async () => await open.close());

  test.each([{}, bearer("sk-whatever"), bearer("mk_wrong"), { authorization: "Basic eDp5" }])(
    "%j is accepted",
    async (headers) => {
      expect((await open.server.send("/api/tags", { headers })).status).toBe(200);
    },
  );

  test("a valid key is still recorded by its id, and may do everything", async () => {
    const key = open.token();
    const { headers } = await open.server.post("/api/copy", {}, bearer(key));
    const id = headers.get("x-request-id");
    const { json } = await open.server.send(`/api/requests/${id}`);
    expect(json).toMatchObject({ status: 400, keyId: open.keys.verify(key)?.id });
  });
});
