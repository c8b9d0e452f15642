// Streamed responses, and disconnects on either side.
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import type { RequestListener, ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import OpenAI from "openai";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { defaultLimits, defaultScale } from "../../../source/cloud/app-config.ts";
import type { RoutedApp } from "../../../source/cloud/gateway/traffic.ts";
import { cloudKey, keysBy } from "../../support/cloud-documents.ts";
import type { StartedGateway } from "../../support/gateway-process.ts";
import { holdStream } from "../../support/held-stream.ts";
import { sendRaw } from "../../support/http-raw.ts";
import { TestGateway } from "../../support/test-gateway.ts";

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await TestGateway.start();
});
afterEach(async () => {
  await gateway.close();
});

const events = { "content-type": "text/event-stream; charset=utf-8" };

/** Replica whose reply the test writes, and a client that reads it. */
async function openStream(
  headers: Record<string, string> = events,
  changes: Partial<RoutedApp> = {},
  own = gateway,
  prepare: (response: ServerResponse) => void = () => {},
) {
  let reply: ServerResponse | undefined;
  const url = await own.serve((_, response) => {
    prepare(response);
    response.writeHead(200, headers);
    response.flushHeaders();
    reply = response;
  }, changes);
  const response = await fetch(url);
  if (reply === undefined || response.body === null) throw new Error("there is no stream");
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const readUntil = async (end: string) => {
    while (!text.endsWith(end)) {
      const { value, done } = await reader.read();
      if (done) break;
      text += value;
    }
    return text;
  };
  /** Complete text, or the text until the connection broke. */
  const readAll = async () => {
    try {
      await readUntil("never");
      return { text, isWhole: true };
    } catch {
      return { text, isWhole: false };
    }
  };
  return { reply, reader, readUntil, readAll };
}

describe("a stream", () => {
  test("starts before its first byte and passes on each piece at once", async () => {
    const { reply, readUntil } = await openStream();
    reply.write("data: 1\n\n");
    expect(await readUntil("1\n\n")).toBe("data: 1\n\n");
    reply.write("data: 2");
    expect(await readUntil("2")).toBe("data: 1\n\ndata: 2");
    reply.end("\n\n");
    expect(await readUntil("never")).toBe("data: 1\n\ndata: 2\n\n");
  });

  test("works with OpenAI's client and a default header", async () => {
    const own = await TestGateway.start({ keys: keysBy({ token: cloudKey() }) });
    try {
      const url = await own.serve(
        (_, response) => {
          response.writeHead(200, events);
          for (const content of ["Hel", "lo"]) {
            response.write(`data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`);
          }
          const usage = { prompt_tokens: 3, completion_tokens: 2 };
          response.write(`data: ${JSON.stringify({ choices: [], usage })}\n\n`);
          response.end("data: [DONE]\n\n");
        },
        { auth: "private" },
      );
      const client = new OpenAI({
        apiKey: "unused",
        baseURL: `${url}/v1`,
        defaultHeaders: { Authorization: "Key token" },
        maxRetries: 0,
      });
      const stream = await client.chat.completions.create({
        model: "m",
        messages: [{ role: "user", content: "hi" }],
        stream: true,
      });
      let text = "";
      for await (const { choices } of stream) text += choices[0]?.delta.content ?? "";
      expect(text).toBe("Hello");
      expect((await own.record()).tokens).toEqual({ prompt: 3, completion: 2, cached: 0 });
    } finally {
      await own.close();
    }
  });

  test("ends with an error event if its replica dies", async () => {
    const { reply, readUntil, readAll } = await openStream();
    reply.write("data: 1\n\n");
    await readUntil("1\n\n");
    reply.destroy();
    const { text, isWhole } = await readAll();
    expect(isWhole).toBe(true);
    const [, last = ""] = text.split("\n\n");
    expect(JSON.parse(last.replace("data: ", "")).error).toMatchObject({
      type: "runner_disconnected",
      code: "runner_disconnected",
      param: null,
    });
    expect(await gateway.record()).toMatchObject({ status: 200, errorType: "runner_disconnected" });
  });

  test("that its replica ends with an error is recorded as one", async () => {
    const { reply, readAll } = await openStream();
    reply.write('data: {"choices":[]}\n\n');
    reply.end('data: {"error":{"message":"The model crashed."}}\n\ndata: [DONE]\n\n');
    expect(await readAll()).toMatchObject({ isWhole: true });
    expect(await gateway.record()).toMatchObject({ status: 200, errorType: "runner_error" });
  });

  test("ends a partial event before the error event", async () => {
    const { reply, readUntil, readAll } = await openStream();
    reply.write('data: {"half');
    await readUntil("half");
    reply.destroy();
    const { text } = await readAll();
    expect(text).toMatch(/^data: \{"half\n\ndata: \{"error":.*\}\n\n$/);
  });

  test("breaks the connection if it is encoded or not an event stream", async () => {
    for (const headers of [
      { "content-type": "application/json" },
      { ...events, "content-encoding": "identity2" },
    ]) {
      const own = await TestGateway.start();
      const { reply, readUntil, readAll } = await openStream(headers, {}, own);
      reply.write('{"half');
      await readUntil("half");
      reply.destroy();
      expect(await readAll()).toEqual({ text: '{"half', isWhole: false });
      await own.close();
    }
  });

  describe("that ends by closing its connection", () => {
    /** As a server that knows neither length nor chunks. */
    const closing = (response: ServerResponse) => {
      response.useChunkedEncodingByDefault = false;
      response.shouldKeepAlive = false;
    };
    /** As the kernel closes the sockets of a killed process. */
    const die = (reply: ServerResponse) => {
      gateway.replica.server.close();
      reply.socket?.end();
    };

    test("is whole while its replica lives", async () => {
      const { reply, readAll } = await openStream(events, {}, gateway, closing);
      reply.end("data: 1\n\n");
      expect(await readAll()).toEqual({ text: "data: 1\n\n", isWhole: true });
    });

    test("ends with an error event if its replica dies", async () => {
      const { reply, readUntil, readAll } = await openStream(events, {}, gateway, closing);
      reply.write("data: 1\n\n");
      await readUntil("1\n\n");
      die(reply);
      expect((await readAll()).text).toContain("runner_disconnected");
    });

    test("breaks the connection if it is not an event stream", async () => {
      const plain = { "content-type": "text/plain" };
      const { reply, readUntil, readAll } = await openStream(plain, {}, gateway, closing);
      reply.write("half");
      await readUntil("half");
      die(reply);
      expect(await readAll()).toEqual({ text: "half", isWhole: false });
    });

    test("resets the connection of an HTTP/1.0 client, which knows no chunks either", async () => {
      const url = new URL(
        await gateway.serve((_, response) => {
          closing(response);
          response.write("half");
          setImmediate(() => die(response));
        }),
      );
      const client = connect(Number(url.port), url.hostname);
      const failed = once(client, "error");
      client.write(`GET ${url.pathname} HTTP/1.0\r\n\r\n`);
      client.resume();
      expect((await failed)[0]).toMatchObject({ code: "ECONNRESET" });
    });
  });

  test("ends with an error event after the request timeout", async () => {
    const limits = { ...defaultLimits, requestTimeoutMs: 100 };
    const url = await gateway.serve(
      (_, response) => {
        response.writeHead(200, events);
        response.write("data: 1\n\n");
      },
      { limits },
    );
    const text = await (await fetch(url)).text();
    expect(text).toContain('"type":"request_timeout"');
  });

  test("gets keep-alive comments between events only", async () => {
    const { reply, readUntil } = await openStream(events, { sseKeepAliveMs: 20 });
    expect(await readUntil("alive\n\n")).toMatch(/^(: keep-alive\n\n)+$/);
    reply.write("data: 1");
    const before = await readUntil("data: 1");
    // Longer than the keep-alive interval, within an event.
    await new Promise((resolve) => setTimeout(resolve, 100));
    reply.write("2\r\n\r\n");
    const after = await readUntil("alive\n\n");
    expect(after.slice(before.length)).toMatch(/^2\r\n\r\n(: keep-alive\n\n)+$/);
    reply.end();
  });
});

describe("a client that disconnects", () => {
  test("ends the work of the replica at once", async () => {
    let isGone = false;
    const url = await gateway.serve((_, response) => {
      response.writeHead(200, events);
      response.write("data: 1\n\n");
      response.once("close", () => {
        isGone = true;
      });
    });
    const held = await holdStream(url);
    expect(held.reply.status).toBe(200);
    expect(gateway.gateway.table.inFlight("replica-1")).toBe(1);
    held.leave();
    await expect.poll(() => isGone).toBe(true);
    expect(gateway.gateway.table.inFlight("replica-1")).toBe(0);
    expect(await gateway.record()).toMatchObject({ status: 499, errorType: "client_disconnected" });
  });

  test("before the response's head, or during its upload, ends it too", async () => {
    let gone = 0;
    const url = await gateway.serve((request) => {
      request.on("error", () => {});
      request.resume();
      request.once("close", () => {
        gone += 1;
      });
    });
    const path = new URL(url).pathname;
    for (const [count, length] of [
      [1, 4],
      [2, 8 * 2 ** 20],
    ] as const) {
      const socket = await dial(gateway.url);
      socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\nbody`);
      await expect.poll(() => gateway.gateway.table.inFlight("replica-1")).toBe(1);
      socket.destroy();
      await expect.poll(() => gone).toBe(count);
    }
    await expect.poll(() => gateway.records.map(({ status }) => status)).toHaveLength(2);
    expect(gateway.records.map(({ status }) => status)).toEqual([499, 499]);
  });

  test("that reads nothing slows its replica down and is then disconnected", async () => {
    const own = await TestGateway.start({ limits: { writeStallMs: 200 } });
    let written = 0;
    let isGone = false;
    const pour: RequestListener = (_, response) => {
      const piece = Buffer.alloc(64 * 1024);
      response.once("close", () => {
        isGone = true;
      });
      const write = () => {
        while (!response.destroyed && written < 2 ** 30) {
          written += piece.length;
          if (!response.write(piece)) {
            response.once("drain", write);
            return;
          }
        }
      };
      write();
    };
    try {
      const url = await own.serve(pour);
      const socket = await dial(own.url);
      socket.pause();
      socket.write(`GET ${new URL(url).pathname} HTTP/1.1\r\nHost: a\r\n\r\n`);
      await expect.poll(() => isGone).toBe(true);
      // Only as much as fits into socket buffers.
      expect(written).toBeLessThan(64 * 2 ** 20);
      socket.destroy();
    } finally {
      await own.close();
    }
  });
});

test("invalid HTTP during a response does not corrupt the response", async () => {
  let reply: ServerResponse | undefined;
  const url = await gateway.serve((_, response) => {
    reply = response;
    response.write("half, ");
  });
  const socket = await dial(gateway.url);
  let text = "";
  socket.on("data", (piece) => {
    text += piece;
  });
  socket.write(`GET ${new URL(url).pathname} HTTP/1.1\r\nHost: a\r\n\r\n`);
  await expect.poll(() => text).toContain("half");
  socket.write("garbage garbage\r\n\r\n");
  await expect.poll(() => socket.closed).toBe(true);
  expect(text).not.toContain("bad_request");
  expect(text.split("HTTP/1.1 ").length).toBe(2);
  await expect.poll(() => reply?.destroyed).toBe(true);
});

test("a hundred megabytes for a slow reader take little memory", async () => {
  const size = 100 * 2 ** 20;
  const replica = await gateway.addReplica((_, response) => {
    response.writeHead(200, { "content-length": size });
    const piece = Buffer.alloc(64 * 1024, "x");
    let left = size;
    const write = () => {
      while (left > 0) {
        left -= piece.length;
        if (!response.write(piece)) {
          response.once("drain", write);
          return;
        }
      }
      response.end();
    };
    write();
  });
  const program = path.join(import.meta.dirname, "../../support/gateway-process.ts");
  const folder = mkdtempSync(path.join(tmpdir(), "deployctl-gateway-"));
  const own = fork(program, [replica.endpoint, folder]);
  const ask = async () => {
    own.send("memory");
    const [news] = (await once(own, "message")) as [{ rssBytes: number }];
    return news.rssBytes;
  };
  try {
    const [{ url, token }] = (await once(own, "message")) as [StartedGateway];
    const headers = { authorization: `Key ${token}` };
    const before = await ask();
    const reader = (await fetch(url, { headers })).body?.getReader();
    if (reader === undefined) throw new Error("there is no body");
    let received = 0;
    let highest = 0;
    let asked = 0;
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      received += value.length;
      // Continues reading after it has measured the gateway's memory.
      if (received - asked < 2 ** 20) continue;
      asked = received;
      highest = Math.max(highest, (await ask()) - before);
    }
    expect(received).toBe(size);
    expect(highest).toBeLessThan(32 * 2 ** 20);
  } finally {
    own.kill("SIGKILL");
    await once(own, "exit");
    rmSync(folder, { recursive: true });
  }
});

test("five hundred concurrent streams end without an error", async () => {
  const url = await gateway.serve(
    (_, response) => {
      response.writeHead(200, events);
      let left = 5;
      const send = () => {
        left -= 1;
        if (left > 0) response.write(`data: ${left}\n\n`, () => setImmediate(send));
        else response.end("data: [DONE]\n\n");
      };
      send();
    },
    { scale: { ...defaultScale, maxMultiplexing: 500 } },
  );
  const replies = await Promise.all(
    Array.from({ length: 500 }, () => sendRaw(url, { method: "POST", body: "{}" })),
  );
  const expected = "data: 4\n\ndata: 3\n\ndata: 2\n\ndata: 1\n\ndata: [DONE]\n\n";
  expect(replies.filter(({ status, text }) => status !== 200 || text !== expected)).toEqual([]);
});

async function dial(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  await new Promise((resolve) => socket.once("connect", resolve));
  return socket;
}
