// Requests and responses on the other side of the gateway.
import { createHash, randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { routedApp } from "../../support/cloud-documents.ts";
import { sendBytes, sendRaw } from "../../support/http-raw.ts";
import { TestGateway } from "../../support/test-gateway.ts";

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await TestGateway.start();
});
afterEach(async () => {
  await gateway.close();
});

async function readBody(request: IncomingMessage): Promise<Buffer> {
  return Buffer.concat(await request.toArray());
}

describe("a request", () => {
  test("reaches the replica unchanged: method, path, query, body", async () => {
    const body = randomBytes(300_000);
    const url = await gateway.serve(async (request, response) => {
      const received = await readBody(request);
      const hash = createHash("sha256").update(received).digest("hex");
      response.end(JSON.stringify({ method: request.method, url: request.url, hash }));
    });
    const target = `${new URL(url).pathname}/v1/a%2Fb//c/../d?x=%20&y=1?2`;
    const head = `PATCH ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`;
    const reply = await sendBytes(gateway.url, Buffer.concat([Buffer.from(head), body]));
    expect(JSON.parse(reply.slice(reply.indexOf("\r\n\r\n")))).toEqual({
      method: "PATCH",
      url: "/v1/a%2Fb//c/../d?x=%20&y=1?2",
      hash: createHash("sha256").update(body).digest("hex"),
    });
    expect(await gateway.record()).toMatchObject({
      status: 200,
      path: "/v1/a%2Fb//c/../d",
      receivedBytes: body.length,
    });
  });

  test.each([
    ["", "/"],
    ["/", "/"],
    ["?a=1", "/?a=1"],
  ])("for the app itself, %j, asks the replica for %s", async (tail, asked) => {
    const url = await gateway.serve((request, response) => response.end(request.url));
    expect((await sendRaw(url + tail, {})).text).toBe(asked);
  });

  test("has no hop-by-hop headers and no secrets, but forwarding headers", async () => {
    const url = await gateway.serve((request, response) => {
      response.end(JSON.stringify(request.rawHeaders));
    });
    const reply = await sendRaw(`${url}/x`, {
      headers: {
        authorization: "Key secret",
        connection: "close, X-Private",
        "x-private": "1",
        "keep-alive": "timeout=5",
        te: "trailers",
        "proxy-authorization": "Basic abc",
        "x-dctl-key-id": "forged",
        X_Dctl_Key_Id: "forged",
        "x-forwarded_for": "1.2.3.4",
        "x-forwarded-for": "1.2.3.4",
        "x-real-ip": "1.2.3.4",
        "X_Real-IP": "1.2.3.4",
        "x-forwarded-proto": "https",
        forwarded: "for=1.2.3.4",
        "x-other": "kept",
        x_other: "kept",
        cookie: "a=b",
      },
    });
    const raw: string[] = JSON.parse(reply.text);
    const names = raw.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
    const seen = Object.fromEntries(
      names.map((name, index) => [name, raw[index * 2 + 1] ?? ""] as const),
    );
    expect(seen).toEqual({
      host: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
      connection: "keep-alive",
      "x-other": "kept",
      x_other: "kept",
      cookie: "a=b",
      "x-forwarded-for": "127.0.0.1",
      "x-real-ip": "127.0.0.1",
      "x-forwarded-proto": "http",
      "x-forwarded-host": new URL(url).host,
      "x-forwarded-prefix": "/acme/chat",
      "x-dctl-request-id": reply.headers["x-dctl-request-id"],
    });
  });

  test("has the app's upstream authorization instead of the caller's", async () => {
    const url = await gateway.serve(
      (request, response) => response.end(request.headers.authorization),
      { upstreamAuthorization: "Bearer inside" },
    );
    const reply = await sendRaw(url, { headers: { authorization: "Key outside" } });
    expect(reply.text).toBe("Bearer inside");
  });

  test("stays chunked", async () => {
    const url = await gateway.serve(async (request, response) => {
      const body = await readBody(request);
      response.end(`${request.headers["transfer-encoding"]} ${body}`);
    });
    const reply = await sendBytes(
      gateway.url,
      `POST ${new URL(url).pathname}/x HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n`,
    );
    expect(reply).toContain("abcdefg");
  });

  test("with Expect gets 100 Continue from the gateway if it is allowed", async () => {
    const url = await gateway.serve(async (request, response) => {
      response.end(`${await readBody(request)} ${request.headers.expect}`);
    });
    const head = (path: string) =>
      `POST ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n`;
    const good = await sendBytes(gateway.url, `${head(new URL(url).pathname)}ab`);
    expect(good).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK/);
    expect(good).toContain("ab undefined");
    const refused = await sendBytes(gateway.url, head("/acme/other"));
    expect(refused).toMatch(/^HTTP\/1\.1 401 /);
  });

  test("may use HTTP/1.0, whose response ends with the connection", async () => {
    const url = await gateway.serve((_, response) => {
      response.write("one,");
      response.end("two");
    });
    const reply = await sendBytes(gateway.url, `GET ${new URL(url).pathname} HTTP/1.0\r\n\r\n`);
    expect(reply).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(reply.toLowerCase()).not.toContain("transfer-encoding");
    expect(reply.endsWith("\r\n\r\none,two")).toBe(true);
  });

  test("may name its target with scheme and host", async () => {
    const url = await gateway.serve((request, response) => response.end(request.url));
    const reply = await sendBytes(
      gateway.url,
      `GET ${url}/v1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    );
    expect(reply).toContain("/v1");
    expect(reply).toMatch(/^HTTP\/1\.1 200 /);
  });

  test("with two hosts, two lengths, or a length and chunks is rejected", async () => {
    await gateway.serve((_, response) => response.end());
    for (const lines of [
      "Content-Length: 1\r\nContent-Length: 2",
      "Content-Length: 3\r\nTransfer-Encoding: chunked",
      "Host: b\r\nContent-Length: 5",
    ]) {
      const reply = await sendBytes(
        gateway.url,
        `POST /acme/chat HTTP/1.1\r\nHost: a\r\n${lines}\r\n\r\n0\r\n\r\n`,
      );
      expect(reply).toMatch(/^HTTP\/1\.1 400 /);
      expect(reply).toContain('"error_type":"bad_request"');
    }
  });
});

describe("a response", () => {
  test("keeps status, headers and body, and gets the gateway's headers", async () => {
    const body = gzipSync("hello ".repeat(1000));
    const url = await gateway.serve((_, response) => {
      response.writeHead(418, "Short and stout", [
        ...["Content-Encoding", "gzip", "Set-Cookie", "a=1", "Set-Cookie", "b=2"],
        ...["Connection", "X-Hop", "X-Hop", "1", "X-Dctl-Replica", "forged"],
      ]);
      response.end(body);
    });
    const response = await fetch(url, { headers: { "accept-encoding": "gzip" } });
    expect(response.status).toBe(418);
    expect(response.statusText).toBe("Short and stout");
    expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    expect(response.headers.has("x-hop")).toBe(false);
    expect(await response.text()).toBe("hello ".repeat(1000));
    expect(response.headers.get("x-dctl-replica")).toBe("replica-1");
    expect(response.headers.get("x-dctl-revision")).toBe("r0001-00000000");
    expect(response.headers.get("x-dctl-cold-start")).toBe("0");
    expect(response.headers.get("x-dctl-queue-ms")).toMatch(/^\d+$/);
    expect(response.headers.get("server-timing")).toMatch(/^queue;dur=[\d.]+, replica;dur=[\d.]+$/);
    expect((await gateway.record()).sentBytes).toBe(body.length);
  });

  test("may have no body", async () => {
    const url = await gateway.serve((request, response) => {
      if (request.method === "HEAD") response.setHeader("content-length", "1234");
      else response.statusCode = 204;
      response.end();
    });
    const head = await sendRaw(url, { method: "HEAD" });
    expect([head.status, head.headers["content-length"], head.text]).toEqual([200, "1234", ""]);
    expect((await sendRaw(url, { method: "DELETE" })).status).toBe(204);
    // The connection can be reused.
    expect((await sendRaw(url, { method: "DELETE" })).status).toBe(204);
  });

  test("may follow early hints, and may start before the request's body has arrived", async () => {
    const url = await gateway.serve((_, response) => {
      response.writeEarlyHints({ link: "</a.css>; rel=preload" });
      response.writeHead(413);
      response.end("too much");
    });
    const reply = await sendRaw(url, { method: "POST", body: Buffer.alloc(8 * 2 ** 20) });
    expect([reply.status, reply.text]).toEqual([413, "too much"]);
  });

  test("of 503 does not replace the replica unless it asks for that", async () => {
    const stopped: string[] = [];
    const own = await TestGateway.start({ onStopRequested: (replica) => stopped.push(replica) });
    try {
      const url = await own.serve((request, response) => {
        if (request.url === "/stop") response.setHeader("X-Dctl-Stop-Runner", "1");
        response.writeHead(503).end("busy");
      });
      for (const path of ["/a", "/b"]) {
        expect((await sendRaw(url + path, {})).text).toBe("busy");
      }
      expect(stopped).toEqual([]);
      const reply = await sendRaw(`${url}/stop`, {});
      expect(reply.headers["x-dctl-stop-runner"]).toBeUndefined();
      expect(stopped).toEqual(["replica-1"]);
    } finally {
      await own.close();
    }
  });

  test("has its tokens counted", async () => {
    const usage = { prompt_tokens: 12, completion_tokens: 30, total_tokens: 42 };
    const url = await gateway.serve((_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ choices: [{ text: '"usage":{' }], usage }));
    });
    await sendRaw(url, { method: "POST", body: "{}" });
    expect((await gateway.record()).tokens).toEqual({ prompt: 12, completion: 30, cached: 0 });
  });
});

test("a connection that the replica closed in the meantime is not an error", async () => {
  let connections = 0;
  const replica = await gateway.addReplica((_, response) => response.end("fine"));
  replica.server.on("connection", (socket) => {
    connections += 1;
    // The replica closes the connection after the first reply without announcing it.
    if (connections === 1) socket.once("data", () => setImmediate(() => socket.destroySoon()));
  });
  replica.server.keepAliveTimeout = 1;
  gateway.gateway.table.publish([routedApp({ replicas: [replica.routed()] })]);
  for (let round = 0; round < 20; round += 1) {
    expect((await sendRaw(`${gateway.url}/acme/chat`, { method: "POST", body: "x" })).text).toBe(
      "fine",
    );
  }
  await expect.poll(() => gateway.records.length).toBe(20);
  expect(connections).toBeGreaterThan(1);
});
