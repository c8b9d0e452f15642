// Replicas with a path at a proxy: everything reaches the right one, and replies of the proxy itself
// are told from theirs. The proxy is a small server that routes by the first part of the path.
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { routedApp } from "../../support/cloud-documents.ts";
import { sendBytes, sendRaw } from "../../support/http-raw.ts";
import { TestGateway, type TestReplica } from "../../support/test-gateway.ts";

let gateway: TestGateway;
let proxy: TestReplica;
/** Behaviour of the replicas by their name; others are unknown to the proxy. */
let replicas: Record<string, RequestListener>;
let asked: string[];

beforeEach(async () => {
  replicas = {};
  asked = [];
  gateway = await TestGateway.start();
  proxy = await gateway.addReplica((request, response) => {
    const [, name = "", rest = ""] = /^\/([^/?]*)(.*)$/.exec(request.url ?? "") ?? [];
    asked.push(name);
    const serve = replicas[name];
    if (serve === undefined) {
      response.writeHead(404).end("Path not found.");
      return;
    }
    request.url = rest;
    serve(request, response);
  });
});
afterEach(async () => {
  await gateway.close();
});

const target = () => `${gateway.url}/acme/chat`;

function publish(...names: string[]): void {
  const routed = names.map((name) => {
    return proxy.routed({ replica: name, endpoint: `${proxy.endpoint}/${name}` });
  });
  gateway.gateway.table.publish([routedApp({ replicas: routed })]);
}

function own(status: number, text: string): RequestListener {
  return (_request, response) =>
    response.writeHead(status, { "x-dctl-replica": "alive" }).end(text);
}

const dead: RequestListener = (_request, response) => {
  response.writeHead(503, { "x-dctl-replica": "dead" }).end();
};

async function echo(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = Buffer.concat(await request.toArray()).toString();
  response
    .writeHead(200, { "x-dctl-replica": "alive" })
    .end(`${request.method} ${request.url} ${body}`);
}

describe("a replica with a path", () => {
  test("gets path and query below it byte for byte, and the body", async () => {
    replicas = { one: echo };
    publish("one");
    const path = "/v1/a%2Fb//c/../d?x=%20&y=1?2";
    const raw = `POST /acme/chat${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello`;
    expect(await sendBytes(gateway.url, raw)).toContain(`POST ${path} hello`);
    expect((await sendRaw(target(), {})).text).toBe("GET / ");
    expect((await sendRaw(`${target()}?a=1`, {})).text).toBe("GET /?a=1 ");
  });

  test("streams events", async () => {
    replicas = {
      one: (_request, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write("data: 1\n\n");
        response.end("data: 2\n\n");
      },
    };
    publish("one");
    const reply = await sendRaw(`${target()}/events`, {});
    expect(reply.headers["content-type"]).toBe("text/event-stream");
    expect(reply.text).toBe("data: 1\n\ndata: 2\n\n");
  });

  test("takes WebSockets", async () => {
    const sockets = new WebSocketServer({ server: proxy.server, path: "/one/v1/realtime" });
    sockets.on("connection", (socket) => {
      socket.on("message", (data) => socket.send(`heard ${data}`));
    });
    publish("one");
    const socket = new WebSocket(`${target().replace("http", "ws")}/v1/realtime?model=m`);
    socket.once("open", () => socket.send("hello"));
    const heard = await new Promise((resolve) => socket.once("message", resolve));
    expect(String(heard)).toBe("heard hello");
    socket.close();
    sockets.close();
  });

  test.each([404, 500, 503])("answers with its own %i, which is not retried", async (status) => {
    replicas = { one: own(status, "mine"), two: own(status, "mine") };
    publish("one", "two");
    const reply = await sendRaw(`${target()}/x`, {});
    expect([reply.status, reply.text]).toEqual([status, "mine"]);
    expect(asked).toHaveLength(1);
  });
});

describe("a replica that is gone", () => {
  const ways: [string, RequestListener | undefined][] = [
    ["says so", dead],
    ["is unknown to the proxy", undefined],
    ["breaks down at the proxy", (_, response) => response.writeHead(500).end("Internal error")],
  ];

  test.each(ways)("and %s: the request goes to another one", async (_, way) => {
    replicas = { ...(way !== undefined && { one: way }), two: echo };
    publish("one");
    const waiting = sendRaw(`${target()}/x`, { method: "POST", body: "again" });
    await expect.poll(() => asked).not.toHaveLength(0);
    publish("one", "two");
    expect(await waiting).toMatchObject({ status: 200, text: "POST /x again" });
    expect(asked.at(-1)).toBe("two");
  });

  test("does not keep the requests that its proxy holds for it", async () => {
    replicas = { one: () => {}, two: echo };
    publish("one");
    const waiting = sendRaw(`${target()}/x`, { method: "POST", body: "again" });
    await expect.poll(() => asked).not.toHaveLength(0);
    publish("two");
    expect(await waiting).toMatchObject({ status: 200, text: "POST /x again" });
    expect(gateway.gateway.table.inFlight("one")).toBe(0);
  });

  test("breaks a stream that its proxy would keep open", async () => {
    replicas = {
      one: (_request, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write("data: 1\n\n");
      },
    };
    publish("one");
    const waiting = sendRaw(`${target()}/x`, {});
    await expect.poll(() => asked).not.toHaveLength(0);
    publish("two");
    expect((await waiting).text).toContain("runner_disconnected");
  });

  test("is an error for a request that cannot be sent again", async () => {
    replicas = { one: dead };
    publish("one");
    const body = "x".repeat(2 * 1024 ** 2);
    const large = await sendRaw(`${target()}/x`, { method: "POST", body });
    const forbidden = await sendRaw(`${target()}/x`, { headers: { "x-dctl-no-retry": "1" } });
    for (const { status, headers } of [large, forbidden]) {
      expect(status).toBe(503);
      expect(headers).toMatchObject({
        "x-dctl-error-type": "runner_disconnected",
        "retry-after": "5",
      });
    }
  });

  test("does not get a WebSocket either", async () => {
    const sockets = new WebSocketServer({ noServer: true });
    let handshakes = 0;
    proxy.server.on("upgrade", (request, socket, head) => {
      handshakes += 1;
      if (handshakes === 1) {
        socket.end("HTTP/1.1 503 Gone\r\nx-dctl-replica: dead\r\nContent-Length: 0\r\n\r\n");
      } else {
        sockets.handleUpgrade(request, socket, head, (open) => open.send("welcome"));
      }
    });
    publish("one", "two");
    const socket = new WebSocket(`${target().replace("http", "ws")}/v1/realtime`);
    expect(String(await new Promise((resolve) => socket.once("message", resolve)))).toBe("welcome");
    expect(handshakes).toBe(2);
    socket.terminate();
    sockets.close();
  });

  test("does not keep a WebSocket open", async () => {
    const sockets = new WebSocketServer({ server: proxy.server });
    sockets.on("connection", (socket) => socket.send("welcome"));
    publish("one");
    const socket = new WebSocket(`${target().replace("http", "ws")}/v1/realtime`);
    const closed = new Promise((resolve) => socket.once("close", resolve));
    await new Promise((resolve) => socket.once("message", resolve));
    publish("two");
    await closed;
    for (const client of sockets.clients) client.terminate();
    sockets.close();
  });
});
