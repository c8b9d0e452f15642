// Allowed origins of browsers, and accepted Host headers.
import { hostname } from "node:os";
import Fastify, { type FastifyInstance } from "fastify";
import { afterEach, describe, expect, test } from "vitest";
import { replyWithErrors } from "../../../source/server/plugins/error-replies.ts";
import { guardOrigins } from "../../../source/server/plugins/origin-and-host.ts";

let app: FastifyInstance;
afterEach(async () => await app.close());

async function start({
  more = [] as string[],
  allowedHosts = [] as string[],
  isLoopbackBound = true,
} = {}): Promise<void> {
  app = Fastify();
  replyWithErrors(app, () => {});
  await guardOrigins(app, { origins: more, allowedHosts }, () => isLoopbackBound);
  app.get("/", async () => "answer");
  app.post("/v1/chat/completions", async () => "answer");
}

const get = async (headers: Record<string, string>) =>
  await app.inject({ method: "GET", url: "/", headers });

describe("the Host header", () => {
  test.each([
    "localhost",
    "localhost:11434",
    "LOCALHOST",
    "127.0.0.1:11434",
    "127.1.2.3",
    "[::1]:11434",
    "[::1]",
    "0.0.0.0:11434",
    "10.1.2.3",
    "172.16.0.1",
    "172.31.255.255:1",
    "192.168.0.7:11434",
    "169.254.1.1",
    "[fd00::1]",
    "[fe80::1]",
    "[::]:11434",
    "[::ffff:127.0.0.1]",
    "host.docker.internal:11434",
    "gateway.docker.internal",
    "host.containers.internal",
    "app.localhost:11434",
    hostname(),
    `${hostname().split(".")[0]}.local`,
  ])("%s is answered", async (host) => {
    await start();
    expect((await get({ host })).statusCode).toBe(200);
  });

  test.each([
    "evil.example",
    "evil.example:11434",
    "8.8.8.8",
    "172.32.0.1",
    "1.127.0.0",
    "127.0.0.1.evil.example",
    "localhost.evil.example",
    "10.evil.example",
    "local",
    "evil-local",
    "box.local",
    "box.internal:11434",
    "127.0.0.1%evil.com",
    "[fe80::1%eth0]",
    "[fe80::1%evil.example]",
    "evil.example%.localhost",
    "[2001:db8::1]",
    "[::ffff:8.8.8.8]",
    "[::2]",
    "10.1",
    "0x7f.0.0.1",
    "2130706433",
    "127.0.0.1.",
    "localhost@evil.example",
  ])("%s is refused with 403, naming the setting", async (host) => {
    await start();
    const reply = await get({ host });
    expect(reply.statusCode).toBe(403);
    expect(reply.json()).toMatchObject({
      code: "SERVER_HOST_REFUSED",
      error: expect.stringContaining("allowed_hosts"),
    });
  });

  test("may be one from the settings", async () => {
    await start({ allowedHosts: ["Models.Home.example"] });
    expect((await get({ host: "models.home.example:11434" })).statusCode).toBe(200);
    expect((await get({ host: "other.home.example" })).statusCode).toBe(403);
  });

  test("is not checked when other machines may connect", async () => {
    await start({ isLoopbackBound: false });
    expect((await get({ host: "my-server.example" })).statusCode).toBe(200);
  });
});

describe("the Origin header", () => {
  const host = "localhost:11434";

  test.each([
    "http://localhost",
    "https://localhost:3000",
    "http://127.0.0.1:8080",
    "http://0.0.0.0",
    "app://obsidian.md",
    "file://x",
    "tauri://localhost",
    "vscode-webview://abc",
    "chrome-extension://abcdef",
    "moz-extension://abcdef",
  ])("%s is allowed and echoed", async (origin) => {
    await start();
    const { statusCode, headers } = await get({ host, origin });
    expect(statusCode).toBe(200);
    expect(headers["access-control-allow-origin"]).toBe(origin);
    expect(headers["access-control-allow-credentials"]).toBeUndefined();
  });

  test.each([
    "https://evil.example",
    "http://localhost.evil.example",
    "http://evil.example:80",
    "https://localhost@evil.example",
    "http://127.0.0.1.evil.example",
    "null",
    "ftp://localhost",
    "http://localhost:80@evil.example",
    "http://localhost:port",
    "http://0.0.0.0.evil.example",
    "apps://obsidian.md",
  ])("%s is refused with 403 and no body", async (origin) => {
    await start();
    const { statusCode, body, headers } = await get({ host, origin });
    expect([statusCode, body]).toEqual([403, ""]);
    expect(headers["access-control-allow-origin"]).toBeUndefined();
  });

  test.each(["GET", "HEAD", "POST", "DELETE"] as const)(
    "null is refused for %s",
    async (method) => {
      await start();
      const url = method === "POST" ? "/v1/chat/completions" : "/";
      const { statusCode } = await app.inject({ method, url, headers: { host, origin: "null" } });
      expect(statusCode).toBe(403);
    },
  );

  test("may be empty, as sent by some programs", async () => {
    await start();
    expect((await get({ host, origin: "" })).statusCode).toBe(200);
  });

  test("of an allowed page may read the headers that clients need", async () => {
    await start();
    const { headers } = await get({ host, origin: "http://localhost:3000" });
    const exposed = String(headers["access-control-expose-headers"]).split(", ");
    expect(exposed).toEqual(expect.arrayContaining(["x-request-id", "x-modelctl-truncated"]));
    expect(headers.vary).toContain("Origin");
  });

  test("may be the server's own", async () => {
    await start({ isLoopbackBound: false });
    const origin = "http://my-server.example";
    expect((await get({ host: "my-server.example", origin })).statusCode).toBe(200);
    expect((await get({ host: "other.example", origin })).statusCode).toBe(403);
  });

  test("can be extended, with * for anything, and the defaults stay", async () => {
    await start({ more: ["https://*.company.example", "https://one.example"] });
    for (const origin of [
      "https://a.company.example",
      "https://one.example",
      "http://localhost:1",
    ]) {
      expect((await get({ host, origin })).statusCode).toBe(200);
    }
    for (const origin of ["https://company.example", "https://onexexample", "http://one.example"]) {
      expect((await get({ host, origin })).statusCode).toBe(403);
    }
  });

  test("may be anything with *", async () => {
    await start({ more: ["*"] });
    expect((await get({ host, origin: "https://any.example" })).statusCode).toBe(200);
  });
});

describe("a preflight", () => {
  const preflight = async (origin: string) =>
    await app.inject({
      method: "OPTIONS",
      url: "/v1/chat/completions",
      headers: {
        host: "localhost",
        origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type,x-stainless-os",
      },
    });

  test("from an allowed page allows the methods and headers that clients use", async () => {
    await start();
    const { statusCode, headers } = await preflight("http://localhost:3000");
    expect(statusCode).toBe(204);
    const allowed = String(headers["access-control-allow-headers"]).toLowerCase();
    for (const name of [
      "authorization",
      "content-type",
      "user-agent",
      "accept",
      "x-requested-with",
      "openai-beta",
      "x-stainless-os",
      "x-stainless-lang",
      "x-stainless-retry-count",
      "x-stainless-timeout",
      "x-api-key",
      "anthropic-version",
    ]) {
      expect(allowed.split(", ")).toContain(name);
    }
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]) {
      expect(headers["access-control-allow-methods"]).toContain(method);
    }
    expect(headers["access-control-max-age"]).toBe("43200");
  });

  test("from another page is refused", async () => {
    await start();
    for (const origin of ["https://evil.example", "null"]) {
      expect((await preflight(origin)).statusCode).toBe(403);
    }
  });

  test("to another host is refused", async () => {
    await start();
    const headers = { host: "evil.example", origin: "http://localhost" };
    const { statusCode } = await app.inject({ method: "OPTIONS", url: "/", headers });
    expect(statusCode).toBe(403);
  });
});
