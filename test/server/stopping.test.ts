// A stopping server: running requests finish, new ones get an error.
import { chmodSync } from "node:fs";
import { connect } from "node:net";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { sendBytes } from "../support/http-raw.ts";
import { temporaryFolder } from "../support/model-store.ts";
import { asOrdinaryUser } from "../support/ordinary-user.ts";
import { isAlive } from "../support/processes.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

let server: TestServer;
beforeEach(async () => {
  // An answer that fills the window takes a moment, but not long.
  server = await TestServer.start({ context_length: 256 });
});
afterEach(async () => await server.close());

/** Starts an answer that fills the window; resolves once it has begun. */
async function beginAnswer(path: string) {
  const reply = await fetch(server.url + path, {
    method: "POST",
    body: JSON.stringify({
      model: "tiny",
      messages: [{ role: "user", content: "Write a long story." }],
      stream: true,
      ignore_eos: true,
      options: { num_predict: -1 },
    }),
  });
  const reader = reply.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) throw new Error("no body");
  let text = (await reader.read()).value ?? "";
  return {
    rest: async () => {
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        text += next.value;
      }
      return text;
    },
  };
}

describe("draining", () => {
  test("ends silently at once when nothing runs", async () => {
    await server.ask("What is the capital of France?");
    const before = server.log.length;
    await server.hosted.drain(60_000);
    expect(server.log.slice(before)).toEqual([]);
  });

  test("gives up after its time limit, and clients are told", async () => {
    const [native, openai] = await Promise.all([
      beginAnswer("/api/chat"),
      beginAnswer("/v1/chat/completions"),
    ]);
    const runner = await server.runnerOf();
    await server.hosted.drain(0);
    expect(server.log).toContain("timed out: cancelling 2 requests");
    await server.close();
    for (const answer of [native, openai]) {
      expect(await answer.rest()).toContain("ENGINE_SHUTTING_DOWN");
    }
    expect(isAlive(runner)).toBe(false);
  });

  test("lets an answer finish, and refuses new connections and requests on open ones", async () => {
    const body = JSON.stringify({ model: "tiny", prompt: "x", stream: false });
    const post = (path: string) =>
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n`;
    // Sends the head of a request, and its body only once the server is stopping.
    const { port, hostname } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    let text = "";
    socket.setEncoding("utf8").on("data", (piece) => {
      text += piece;
    });
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.write(post("/api/generate"));
    await until(
      async () => (await server.requests()).length,
      (count) => count === 1,
    );
    const answer = await beginAnswer("/v1/chat/completions");
    const drained = server.hosted.drain(60_000);
    await expect(fetch(`${server.url}/api/version`)).rejects.toThrow();
    socket.write(`${body}${post("/api/generate")}${body}`);
    await closed;
    expect((await answer.rest()).trimEnd().endsWith("data: [DONE]")).toBe(true);
    await drained;
    const [first = "", second = ""] = text.split(/(?=HTTP\/1\.1 )/);
    expect(first).toMatch(/^HTTP\/1\.1 200 /);
    expect(second).toMatch(/^HTTP\/1\.1 503 /);
    expect(second).toMatch(/connection: close/i);
    expect(second).toContain("ENGINE_SHUTTING_DOWN");
    expect(server.log).toContainEqual(
      expect.stringMatching(/^stopping: waiting up to 1 m 00 s for 2 requests to end$/),
    );
    expect(server.log).toContainEqual(expect.stringContaining("POST /v1/chat/completions"));
    expect(server.log.at(-1)).toBe("all requests have ended");
  });
});

test("closing without draining ends answers with an error, and leaves no runner", async () => {
  const answer = await beginAnswer("/api/chat");
  const runner = await server.runnerOf();
  await server.close();
  expect(await answer.rest()).toContain("ENGINE_SHUTTING_DOWN");
  expect(isAlive(runner)).toBe(false);
});

test("following clients do not delay the end", async () => {
  const followed = await fetch(`${server.url}/api/requests?follow`);
  const watched = await fetch(`${server.url}/api/metrics?follow`);
  await server.hosted.drain(60_000);
  await Promise.all([followed.text(), watched.text()]);
  expect(await sendBytes(server.url, "").catch(({ code }) => code)).toBe("ECONNREFUSED");
});

test("a record that cannot be removed is reported once, and the server stops", async () => {
  const stateFolder = temporaryFolder();
  const recorded = await TestServer.start({}, { stateFolder });
  chmodSync(path.join(stateFolder, "servers"), 0o500);
  await asOrdinaryUser(stateFolder, async () => await recorded.hosted.drain(60_000));
  await recorded.close();
  expect(recorded.log).toEqual([expect.stringContaining(`${stateFolder}, for logs`)]);
  expect(recorded.log[0]).toContain("permission denied");
  expect(await sendBytes(recorded.url, "").catch(({ code }) => code)).toBe("ECONNREFUSED");
});
