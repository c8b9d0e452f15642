// The request log over HTTP: filtered, followed, and with recorded texts.
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RequestRecord } from "../../source/request-log/request-record.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

const capital = "What is the capital of France?";
const question = { model: "tiny", prompt: capital, stream: false, options: { temperature: 0 } };

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({ log_prompts: true });
});
afterAll(async () => await server.close());

async function list(query = ""): Promise<RequestRecord[]> {
  const { json } = await server.send(`/api/requests${query}`);
  return (json as { requests: RequestRecord[] }).requests;
}

const idOf = ({ headers }: { headers: Headers }) => headers.get("x-request-id") ?? "";

describe("a record", () => {
  test("describes the request and its outcome", async () => {
    const reply = await server.post("/api/generate", {
      ...question,
      options: { temperature: 0, num_predict: 5, stop: ["never"] },
    });
    const { json } = await server.send(`/api/requests/${idOf(reply)}`);
    expect(json).toMatchObject({
      id: idOf(reply),
      method: "POST",
      path: "/api/generate",
      model: "tiny",
      state: "done",
      status: 200,
      finishReason: "length",
      completionTokens: 5,
      parameters: { temperature: 0, num_predict: 5, stop: ["never"] },
    });
    const record = json as RequestRecord;
    for (const name of ["promptTokens", "firstTokenMs", "totalMs", "tokensPerSecond"] as const) {
      expect(record[name]).toBeGreaterThan(0);
    }
    expect(record.queueMs).toBeGreaterThanOrEqual(0);
  });

  test("says where the start of a prompt came from, or why it was computed", async () => {
    const own = await TestServer.start({ context_length: 512 });
    try {
      const recordOf = async (prompt: string, options = {}) => {
        const reply = await own.post("/api/generate", {
          ...question,
          prompt,
          raw: true,
          options: { num_predict: 1, ...options },
        });
        expect(reply.status, reply.text).toBe(200);
        return (await own.requests()).find(({ id }) => id === idOf(reply));
      };
      const none = { cachedTokens: 0, cachedFrom: "none" };
      expect(await recordOf(capital)).toMatchObject({ ...none, cacheMiss: "first prompt" });
      expect(await recordOf(capital)).toMatchObject({ cachedFrom: "slot" });
      expect(await recordOf("7 0 ".repeat(60))).toMatchObject({
        ...none,
        cacheMiss: "begins otherwise",
      });
      expect(await recordOf("Hi")).toMatchObject({ ...none, cacheMiss: "too short" });
      expect(await recordOf(capital, { num_ctx: 1024 })).toMatchObject({
        ...none,
        cacheMiss: expect.stringMatching(
          /^first prompt since the model was loaded again: num_ctx \d+ is larger than the loaded \d+$/,
        ),
      });
    } finally {
      await own.close();
    }
  });

  test("counts the tokens read while the prompt is read", async () => {
    const own = await TestServer.start({ prefill_chunk: 64 });
    try {
      const read: number[] = [];
      let last: RequestRecord | undefined;
      own.hosted.requestLog.follow((record) => {
        last = record;
        if (record.readTokens !== undefined) read.push(record.readTokens);
      });
      const prompt = "7 0 ".repeat(200);
      await own.post("/api/generate", { ...question, prompt, options: { num_predict: 1 } });
      expect(new Set(read).size).toBeGreaterThan(2);
      expect(read).toEqual(read.toSorted((one, other) => one - other));
      expect(last).toMatchObject({ state: "done", promptTokens: read.at(-1) });
      expect(last?.promptMs).toBeGreaterThan(0);
    } finally {
      await own.close();
    }
  });

  test("has the id that its reply had, whatever the reply", async () => {
    for (const [path, init] of [
      ["/", {}],
      ["/api/version", { method: "HEAD" }],
      ["/no/route", {}],
      ["/api/chat", { method: "POST", body: "{" }],
      ["/v1/models", {}],
      ["/metrics", {}],
      ["/", { headers: { origin: "https://evil.example" } }],
    ] as const) {
      expect(idOf(await server.send(path, init))).toMatch(/^r-[0-9a-z]+$/);
    }
  });

  test("says why a request failed", async () => {
    const reply = await server.post("/api/chat", { model: "nowhere", messages: [] });
    const { json } = await server.send(`/api/requests/${idOf(reply)}`);
    expect(json).toMatchObject({
      status: 404,
      error: { code: "STORE_MODEL_NOT_FOUND", message: expect.stringContaining("nowhere") },
    });
  });

  test("with an unknown id is 404", async () => {
    const { status, json } = await server.send("/api/requests/r-zzz");
    expect([status, json]).toMatchObject([404, { code: "SERVER_REQUEST_UNKNOWN" }]);
  });
});

describe("recorded texts", () => {
  const look = async (reply: { headers: Headers }) =>
    (await server.send(`/api/requests/${idOf(reply)}`)).json as { prompt: string; answer: string };

  test("are the prompt as the model got it, and its answer", async () => {
    const reply = await server.post("/v1/chat/completions", {
      model: "tiny",
      messages: [{ role: "user", content: capital }],
      temperature: 0,
    });
    const { prompt, answer } = await look(reply);
    expect(prompt).toContain(`${capital}<|im_end|>`);
    expect(prompt.endsWith("<|im_start|>assistant\n")).toBe(true);
    expect(answer).toBe("The capital of France is Paris.");
  });

  test("contain no secrets", async () => {
    const secret = "sk-proj-abcdefghijklmnopqrstuvwxyz";
    const raw = `My key is ${secret}.`;
    const options = { num_predict: 1 };
    const reply = await server.post("/api/generate", {
      ...question,
      prompt: raw,
      raw: true,
      options,
    });
    expect(await look(reply)).toMatchObject({ prompt: "My key is sk-…[secret]." });
  });

  test("can be searched", async () => {
    await server.post("/api/generate", question);
    const found = await list("?text=capital%20of%20France&limit=1");
    expect(found).toHaveLength(1);
  });

  test("exist only if the owner wants them, and are deleted when recording ends", async () => {
    const plain = await TestServer.start();
    try {
      const reply = await plain.post("/api/generate", question);
      const { json, text } = await plain.send(`/api/requests/${idOf(reply)}`);
      expect(json).not.toHaveProperty("prompt");
      expect(text).not.toContain("capital");

      const record = async (enabled: boolean, headers = {}) =>
        (await plain.post("/api/recording", { enabled }, headers)).status;
      const owner = { "x-modelctl-owner": plain.hosted.ownerToken };
      expect(await record(true)).toBe(403);
      expect(await record(true, owner)).toBe(200);
      expect((await plain.send("/api/metrics")).json).toMatchObject({
        requests: { areRecorded: true },
      });
      const recorded = `/api/requests/${idOf(await plain.post("/api/generate", question))}`;
      expect((await plain.send(recorded)).json).toMatchObject({
        answer: expect.stringContaining("Paris"),
      });
      expect(await record(false, owner)).toBe(200);
      expect((await plain.send(recorded)).json).not.toHaveProperty("answer");
    } finally {
      await plain.close();
    }
  });
});

describe("a filter", () => {
  test("selects by status, path and text, together or by field", async () => {
    await server.post("/api/generate", question);
    await server.post("/api/generate", { model: "nowhere", prompt: "x" });
    for (const query of [
      "?status=4xx",
      "?filter=status:4xx",
      "?filter=-status:2xx%20-status:running",
    ]) {
      const statuses = (await list(query)).map(({ status }) => status);
      expect(statuses.length).toBeGreaterThan(0);
      expect(statuses.every((status) => status !== undefined && status >= 400)).toBe(true);
    }
    const both = await list("?path=/api/generate&filter=nowhere");
    expect(both.map(({ model }) => model)).toContain("nowhere");
    expect(both.every(({ path, model }) => path === "/api/generate" && model === "nowhere")).toBe(
      true,
    );
  });

  test("keeps the newest matches", async () => {
    const all = await list();
    expect(await list("?limit=2")).toEqual(all.slice(-2));
    expect(await list("?since=1d")).toEqual(all);
    expect(await list("?since=2999-01-01")).toEqual([]);
  });

  test.each([
    ["?status=6xx", "status"],
    ["?filter=stauts:200", "filter"],
    ["?since=never", "since"],
    ["?limit=0", "limit"],
    ["?limit=many", "limit"],
    ["?follow=perhaps", "follow"],
    ["?status=200&status=404", "status"],
  ])("%s is refused", async (query, field) => {
    const { status, text } = await server.send(`/api/requests${query}`);
    expect([status, text]).toEqual([400, expect.stringContaining(field)]);
  });
});

describe("following", () => {
  async function follow(query = "") {
    const leave = new AbortController();
    const reply = await fetch(`${server.url}/api/requests?follow=true${query}`, {
      signal: leave.signal,
    });
    const records: RequestRecord[] = [];
    const ended = (async () => {
      let rest = "";
      for await (const piece of reply.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        const lines = (rest + piece).split("\n");
        rest = lines.pop() ?? "";
        records.push(...lines.map((line) => JSON.parse(line) as RequestRecord));
      }
    })().catch(() => {});
    return { reply, records, ended, leave: () => leave.abort() };
  }

  test("starts with existing requests and continues with each finished one", async () => {
    await server.post("/api/generate", question);
    const { reply, records, leave, ended } = await follow("&limit=1");
    expect(reply.headers.get("content-type")).toBe("application/x-ndjson");
    await until(
      () => records.length,
      (count) => count === 1,
    );
    const next = idOf(await server.post("/api/generate", question));
    await until(
      () => records.filter(({ id }) => id === next).at(-1),
      (record) => record?.state === "done" && record.status === 200,
    );
    leave();
    await ended;
  });

  test("connects at once without any request", async () => {
    const { reply, records, leave, ended } = await follow("&filter=path:/nowhere");
    expect(reply.status).toBe(200);
    expect(records).toEqual([]);
    leave();
    await ended;
  });

  test("sends only what matches the filter", async () => {
    const { records, leave, ended } = await follow("&limit=1&filter=status:4xx%20since:0s");
    await server.post("/api/generate", question);
    const wrong = idOf(await server.post("/api/generate", { model: "nowhere", prompt: "x" }));
    await until(
      () => records.map(({ id }) => id),
      (ids) => ids.includes(wrong),
    );
    expect(records.every(({ status }) => status === 404)).toBe(true);
    leave();
    await ended;
  });

  test("a stalled reader blocks nobody, and gets the newest state later", async () => {
    const { port, hostname } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    socket.write("GET /api/requests?follow=true HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await new Promise((resolve) => socket.once("data", resolve));
    socket.pause();
    // Far more than the buffers of both sides hold: a record has the name in its path and its error.
    const long = "x".repeat(970);
    for (let batch = 0; batch < 16; batch += 1) {
      await Promise.all(Array.from({ length: 100 }, async () => server.send(`/v1/models/${long}`)));
    }
    const last = idOf(await server.send("/missing/last"));
    let text = "";
    socket.setEncoding("utf8").on("data", (piece) => {
      text += piece;
    });
    socket.resume();
    await until(
      () => text.includes(`"id":"${last}"`),
      (found) => found,
    );
    socket.destroy();
  });

  test("ends when the server stops", async () => {
    const stopping = await TestServer.start();
    const reply = await fetch(`${stopping.url}/api/requests?follow`);
    const ended = reply.text();
    await stopping.close();
    expect(await ended).toBe("");
  });
});
