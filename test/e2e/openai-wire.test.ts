// OpenAI-compatible API on the wire: framing, request ids, interrupted streams, other routes.
import { connect } from "node:net";
import OpenAI from "openai";
import { beforeAll, describe, expect, test } from "vitest";
import { dataOf, failure, type OpenaiError, openaiClient, user } from "../support/openai-client.ts";
import { sharedModels, sharedServer } from "../support/shared-server.ts";
import type { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

let server: TestServer;
let client: OpenAI;

beforeAll(async () => {
  server = await sharedServer();
  client = openaiClient(server);
});

const model = "tiny";
const long = { model, messages: [user("Write a long story.")], ignore_eos: true, stream: true };

/** Sends a request over a plain socket. @returns the bytes so far, and a function to disconnect */
function open(path: string, body: unknown) {
  const { hostname, port } = new URL(server.url);
  const json = JSON.stringify(body);
  const received = { text: "", isClosed: false };
  const socket = connect(Number(port), hostname, () =>
    socket.write(
      `POST ${path} HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json\r\n` +
        `content-length: ${Buffer.byteLength(json)}\r\n\r\n${json}`,
    ),
  );
  socket.setEncoding("utf8");
  socket.on("data", (piece: string) => {
    received.text += piece;
  });
  socket.once("close", () => {
    received.isClosed = true;
  });
  return { received, socket };
}

const idOf = (text: string) => /x-request-id: (\S+)/i.exec(text)?.[1] ?? "";

describe("a stream", () => {
  test.each([
    ["/v1/chat/completions", { messages: [user("Hello!")] }],
    ["/v1/completions", { prompt: "Once upon", max_tokens: 10 }],
  ])("of %s arrives event by event, in chunks of whole events", async (path, body) => {
    const { received, socket } = open(path, { model, stream: true, ...body });
    await until(
      () => received.text,
      (text) => text.endsWith("\r\n0\r\n\r\n"),
    );
    socket.destroy();
    const [head = "", rest = ""] = received.text.split(/\r\n\r\n(.*)/s);
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(head).toMatch(/content-type: text\/event-stream; charset=utf-8/i);
    expect(head).toMatch(/cache-control: no-cache/i);
    const chunks: string[] = [];
    for (let left = Buffer.from(rest); ; ) {
      const line = left.indexOf("\r\n");
      const size = Number.parseInt(left.subarray(0, line).toString(), 16);
      if (size === 0) break;
      chunks.push(left.subarray(line + 2, line + 2 + size).toString());
      left = left.subarray(line + 2 + size + 2);
    }
    // A busy machine may send a comment before the first token.
    for (const chunk of chunks) expect(chunk).toMatch(/^((data|): .+\n\n)+$/);
    expect(chunks.at(-1)).toBe("data: [DONE]\n\n");
  });

  test("ends with the error as data and no [DONE] when the model dies", async () => {
    const body = { ...long, model: "copy" };
    const { received, socket } = open("/v1/chat/completions", body);
    await until(
      () => received.text,
      (text) => text.includes('"content"'),
    );
    await server.killRunner("copy");
    await until(
      () => received.text,
      (text) => text.endsWith("\r\n0\r\n\r\n"),
    );
    socket.destroy();
    expect(received.text).not.toContain("[DONE]");
    const last = received.text.split("data: ").at(-1)?.split("\n")[0] ?? "";
    expect(JSON.parse(last)).toEqual({
      error: {
        message: expect.stringContaining("unexpectedly stopped"),
        type: "api_error",
        param: null,
        code: "ENGINE_RUNNER_CRASHED",
      },
    });
  });

  test("throws in the library when cancelled by its id", async () => {
    const { data: stream, response } = await client.chat.completions
      .create(long as OpenAI.ChatCompletionCreateParamsStreaming)
      .withResponse();
    const id = response.headers.get("x-request-id") ?? "";
    const read = async () => {
      for await (const _ of stream) await server.post("/api/cancel", { id });
    };
    const error = await failure(read());
    expect(error.message).toContain("cancel");
    await server.untilQuiet();
  });

  test.each([1, 8])("of %i choices stops when the client disconnects", async (n) => {
    const { received, socket } = open("/v1/chat/completions", { ...long, n });
    await until(
      () => received.text,
      (text) => text.includes('"content"'),
    );
    socket.destroy();
    await server.untilQuiet();
    const record = (await server.requests()).find(({ id }) => id === idOf(received.text));
    expect(record).toMatchObject({ status: 499 });
  });

  test("non-streamed requests stop when the client disconnects", async () => {
    const before = server.hosted.requestLog.records.at(-1)?.id;
    const { socket } = open("/v1/chat/completions", { ...long, stream: false, n: 2 });
    const record = await until(
      () => server.hosted.requestLog.records.at(-1),
      (last) => last?.id !== before && (last?.promptTokens ?? 0) > 0,
    );
    socket.destroy();
    await server.untilQuiet();
    expect(record).toMatchObject({ status: 499 });
  });

  test("that fails before its first event has an error status and a JSON body", async () => {
    for (const n of [1, 4]) {
      const messages = [user("word ".repeat(6000))];
      const reply = await server.post("/v1/chat/completions", { ...long, messages, n });
      expect(reply.status).toBe(400);
      expect(reply.headers.get("content-type")).toMatch(/^application\/json/);
      expect((reply.json as OpenaiError).error.code).toBe("context_length_exceeded");
    }
  });
});

describe("every reply", () => {
  test("has the id under which the request is recorded", async () => {
    const replies = [
      await server.post("/v1/chat/completions", { model, messages: [user("Hello!")] }),
      await server.post("/v1/chat/completions", { model, messages: [user("Hi")], stream: true }),
      await server.post("/v1/chat/completions", { model }),
      await server.post("/v1/embeddings", { model, input: "a" }),
    ];
    const ids = replies.map(({ headers }) => headers.get("x-request-id"));
    const records = (await server.requests()).slice(-ids.length).map(({ id }) => id);
    expect(ids).toEqual(records);
    const { request_id } = await client.chat.completions
      .create({ model, messages: [user("Hello!")] })
      .withResponse();
    expect(request_id).toBe((await server.requests()).at(-1)?.id);
  });
});

describe("models", () => {
  test("are listed with tag and owner, including those in the store", async () => {
    const { json } = await server.send("/v1/models");
    const { object, data } = json as { object: string; data: OpenAI.Model[] };
    expect(object).toBe("list");
    const now = Date.now() / 1000;
    const owners = data.map(({ id, owned_by }) => [id, owned_by]).toSorted();
    expect(owners).toEqual(
      sharedModels.map((id) => [id, id.startsWith("somebody/") ? "somebody" : "library"]),
    );
    for (const { object: kind, created } of data) {
      expect(kind).toBe("model");
      expect(Number.isInteger(created)).toBe(true);
      expect(created).toBeLessThanOrEqual(now + 1);
    }
  });

  test("are found by names with slashes, plain or escaped", async () => {
    for (const id of ["somebody/poet", "somebody/poet:latest"]) {
      expect(await client.models.retrieve(id)).toMatchObject({ id, owned_by: "somebody" });
      expect((await server.send(`/v1/models/${id}`)).json).toMatchObject({ id });
    }
    const unknown = await server.send("/v1/models/somebody%2Felse");
    expect(unknown.status).toBe(404);
    expect(unknown.json).toMatchObject({
      error: {
        message: expect.stringContaining("not found"),
        type: "not_found_error",
        param: "model",
      },
    });
  });

  test("are listed up to date, however many clients ask at once", async () => {
    const lists = await Promise.all(
      Array.from({ length: 50 }, async () => (await server.send("/v1/models")).text),
    );
    expect(new Set(lists).size).toBe(1);
  });
});

describe("routes", () => {
  test.each([
    ["HEAD", "/v1/models", 200],
    ["HEAD", "/v1/models/tiny", 200],
    ["HEAD", "/v1/models/nobody", 404],
    ["HEAD", "/v1/chat/completions", 405],
    ["GET", "/v1/chat/completions", 405],
    ["GET", "/v1/completions", 405],
    ["GET", "/v1/embeddings", 405],
    ["PUT", "/v1/embeddings", 405],
    ["GET", "/v1/audio/transcriptions", 405],
    ["DELETE", "/v1/models", 405],
    ["POST", "/v1/moderations", 404],
    ["POST", "/v1/images/generations", 404],
  ])("%s %s answers %i", async (method, route, status) => {
    const reply = await server.send(route, { method });
    expect(reply.status).toBe(status);
    if (method === "HEAD") expect(reply.text).toBe("");
  });

  test("audio is refused as unsupported", async () => {
    const retrying = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "anything" });
    const before = server.hosted.requestLog.records.at(-1);
    const file = new File([Buffer.alloc(1000)], "a.wav", { type: "audio/wav" });
    const error = await failure(retrying.audio.transcriptions.create({ file, model: "whisper" }));
    expect(error).toMatchObject({
      status: 501,
      type: "api_error",
      param: null,
      code: "SERVER_ROUTE_UNAVAILABLE",
    });
    expect(server.hosted.requestLog.records.at(-2)).toBe(before);
  });

  test("a streamed and a whole answer are the same", async () => {
    const body = { model, messages: [user("Write a poem.")] };
    const whole = await client.chat.completions.create(body);
    const { text } = await server.post("/v1/chat/completions", { ...body, stream: true });
    const chunks = dataOf(text).slice(0, -1) as OpenAI.ChatCompletionChunk[];
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("")).toBe(
      whole.choices[0]?.message.content,
    );
  });
});
