// The queue over HTTP: order, results, errors, limits, and who may see what.

import { statSync } from "node:fs";
import type { IncomingMessage, RequestListener } from "node:http";
import path from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { defaultScale } from "../../../source/cloud/app-config.ts";
import { until } from "../../support/until.ts";
import { TestQueue } from "../support/test-queue.ts";

interface Question {
  name?: string;
  waits?: boolean;
  status?: number;
  bytes?: number;
  dies?: boolean;
}

let test: TestQueue;
/** Names of the requests that the replica has got, in order. */
let got: string[];
let heads: IncomingMessage[];
let release: () => void;
let mayDie = true;

const onRequest: RequestListener = async (request, response) => {
  const question = JSON.parse((await text(request)) || "{}") as Question;
  got.push(question.name ?? "");
  heads.push(request);
  if (question.waits === true) {
    await new Promise<void>((resolve) => {
      release = resolve;
      response.once("close", resolve);
    });
  }
  if (question.dies === true && mayDie) {
    request.socket.destroy();
    return;
  }
  const answer = { ...question, filling: "x".repeat(question.bytes ?? 0) };
  response.writeHead(question.status ?? 200, { "content-type": "application/json", "x-own": "1" });
  response.end(JSON.stringify(answer));
};

beforeEach(async () => {
  got = [];
  heads = [];
  mayDie = true;
  test = await TestQueue.start({ requestBytes: 4096, resultBytes: 65_536 });
  await test.gateway.addReplica(onRequest);
  test.serve();
});
afterEach(async () => await test.close());

describe("a queued request", () => {
  it("waits, runs, and keeps its result", async () => {
    const first = await test.submit({ name: "first", waits: true }, { path: "/deep?q=1" });
    await until(
      () => test.status(first),
      ({ status }) => status === "IN_PROGRESS",
    );
    const second = await test.submit({ name: "second" });
    const third = await test.submit({ name: "third" });
    const urgent = await test.submit(
      { name: "urgent" },
      { headers: { "x-fal-queue-priority": "normal" } },
    );
    expect(await test.status(third)).toMatchObject({ status: "IN_QUEUE", queue_position: 1 });
    const early = await test.ask("GET", `/queue/acme/chat/requests/${second}`);
    expect([early.status, await early.json()]).toMatchObject([
      400,
      { error_type: "request_in_progress" },
    ]);
    release();
    expect(await test.result(urgent)).toMatchObject({ status: 200, document: { name: "urgent" } });
    expect(got).toEqual(["first", "second", "third", "urgent"]);
    expect(heads[0]?.url).toBe("/deep?q=1");
    expect(heads[0]?.headers).toMatchObject({ "x-fal-request-id": first });
    const reply = await test.ask("GET", `/queue/acme/chat/requests/${first}`);
    expect(reply.headers.get("x-own")).toBe("1");
    expect(reply.headers.get("x-dctl-replica")).toBe("replica-1");
  });

  it("of low priority lets others pass", async () => {
    await test.submit({ name: "running", waits: true });
    const low = { headers: { "x-fal-queue-priority": "low" } };
    await test.submit({ name: "low" }, low);
    const last = await test.submit({ name: "normal" });
    expect(await test.status(last)).toMatchObject({ queue_position: 0 });
    await until(
      () => got.length,
      (length) => length === 1,
    );
    release();
    await until(
      () => got.length,
      (length) => length === 3,
    );
    expect(got).toEqual(["running", "normal", "low"]);
  });

  it("ends with the app's own error", async () => {
    const id = await test.submit({ name: "wrong", status: 422 });
    expect(await test.result(id)).toMatchObject({ status: 422, document: { name: "wrong" } });
    expect(await test.status(id)).toMatchObject({ error: "Invalid status code: 422" });
  });

  it("is cancelled before it starts and while it runs", async () => {
    test.serve({ scale: { ...defaultScale, maxMultiplexing: 1 } });
    const running = await test.submit({ name: "running", waits: true });
    const waiting = await test.submit({ name: "waiting" });
    await until(
      () => got.length,
      (length) => length === 1,
    );
    for (const id of [waiting, running]) {
      const reply = await test.ask("PUT", `/queue/acme/chat/requests/${id}/cancel`);
      expect([reply.status, await reply.json()]).toEqual([
        202,
        { status: "CANCELLATION_REQUESTED" },
      ]);
      expect(await test.result(id)).toMatchObject({ status: 499 });
    }
    // The replica stops its work, and has room again.
    const next = await test.submit({ name: "next" });
    await test.completed(next);
    expect(got).toEqual(["running", "next"]);
    const late = await test.ask("PUT", `/queue/acme/chat/requests/${next}/cancel`);
    expect([late.status, await late.json()]).toMatchObject([400, { status: "ALREADY_COMPLETED" }]);
  });

  it("is sent once, or twice if it may be repeated", async () => {
    const once = await test.submit({ name: "once", dies: true });
    expect(await test.result(once)).toMatchObject({
      status: 503,
      document: { error_type: "runner_disconnected" },
    });
    const twice = await test.submit(
      { name: "twice", dies: true },
      { headers: { "x-dctl-retry": "1" } },
    );
    expect(await test.result(twice)).toMatchObject({ status: 503 });
    expect(got).toEqual(["once", "twice", "twice"]);
  });

  it("fails when no replica starts on it in time", async () => {
    await test.submit({ name: "running", waits: true });
    await until(
      () => got.length,
      (length) => length === 1,
    );
    const id = await test.submit({ name: "late" }, { headers: { "x-fal-request-timeout": "0.2" } });
    expect(await test.result(id)).toMatchObject({
      status: 504,
      document: {
        error_type: "queue_timeout",
        detail: "No replica took the request within 0.2 s.",
      },
    });
  });

  it("is streamed as it changes", async () => {
    const id = await test.submit({ name: "followed", waits: true });
    const reply = await test.ask("GET", `/queue/acme/chat/requests/${id}/status/stream`);
    await until(
      () => got.length,
      (length) => length === 1,
    );
    release();
    const events = (await reply.text()).split("\n\n").filter((event) => event.startsWith("data: "));
    const states = events.map((event) => (JSON.parse(event.slice(6)) as { status: string }).status);
    expect(states.at(-1)).toBe("COMPLETED");
    expect(new Set(states).size).toBe(states.length);
  });

  it("survives a new control plane, also while it runs", async () => {
    const running = await test.submit({ name: "running", waits: true });
    const waiting = await test.submit({ name: "waiting" });
    await until(
      () => test.status(running),
      ({ status }) => status === "IN_PROGRESS",
    );
    const asked = test.stopQueue();
    const patient = test.submit({ name: "meanwhile" });
    release();
    await asked;
    await test.startQueue();
    const meanwhile = await patient;
    for (const id of [running, waiting, meanwhile]) {
      expect(await test.result(id)).toMatchObject({ status: 200 });
    }
    expect(got).toEqual(["running", "waiting", "meanwhile"]);
    for (const name of ["queue.db", "keys/webhooks", "queue.sock", "runs.sock"]) {
      expect(statSync(path.join(test.folder, name)).mode & 0o777).toBe(0o600);
    }
  });
});

describe("callers", () => {
  it("see requests of their organisation only", async () => {
    test.serve({ auth: "shared" });
    const id = await test.submit({ name: "ours" }, { key: "ours" });
    await until(
      () => test.status(id, "ours"),
      ({ status }) => status === "COMPLETED",
    );
    for (const [method, end] of [
      ["GET", ""],
      ["GET", "/status"],
      ["PUT", "/cancel"],
    ] as const) {
      const reply = await test.ask(method, `/queue/acme/chat/requests/${id}${end}`, {
        key: "theirs",
      });
      expect([reply.status, await reply.json()]).toMatchObject([
        404,
        { status: "NOT_FOUND", error_type: "request_not_found" },
      ]);
    }
    const nobody = await test.ask("GET", `/queue/acme/chat/requests/${id}`);
    expect([nobody.status, await nobody.json()]).toMatchObject([
      401,
      { error_type: "auth_missing" },
    ]);
    test.serve({ auth: "private" });
    const foreign = await test.ask("POST", "/queue/acme/chat", { key: "theirs", body: "{}" });
    expect([foreign.status, await foreign.json()]).toMatchObject([
      404,
      { error_type: "app_not_found" },
    ]);
  });

  it("get the same request for the same idempotency key", async () => {
    const headers = { "idempotency-key": "one" };
    const id = await test.submit({ name: "same" }, { headers });
    expect(await test.submit({ name: "same" }, { headers })).toBe(id);
    await expect(test.submit({ name: "other" }, { headers })).rejects.toThrow(
      "idempotency_mismatch",
    );
    await test.completed(id);
    expect(got).toEqual(["same"]);
  });

  it.each([
    ["a body that is too large", { bytes: 5000 }, {}, "body_too_large"],
    ["a priority that does not exist", {}, { "x-fal-queue-priority": "high" }, "'normal' or 'low'"],
    ["a timeout that is no number", {}, { "x-fal-request-timeout": "soon" }, "number of seconds"],
    ["a long idempotency key", {}, { "idempotency-key": "k".repeat(300) }, "longer than 255"],
  ])("are told about %s", async (_name, { bytes = 0 }: { bytes?: number }, headers, message) => {
    const body = { filling: "x".repeat(bytes) };
    await expect(test.submit(body, { headers })).rejects.toThrow(message);
  });

  it("get 404 for paths that do not exist", async () => {
    for (const target of [
      "/queue/acme",
      "/queue/acme/chat",
      "/queue/acme/chat/requests/1/nothing",
    ]) {
      const reply = await test.ask("GET", target);
      expect([reply.status, await reply.json()]).toMatchObject([404, { error_type: "not_found" }]);
    }
  });
});

describe("limits", () => {
  it("end a request whose result is too large", async () => {
    const id = await test.submit({ name: "large", bytes: 70_000 });
    expect(await test.result(id)).toMatchObject({
      status: 502,
      document: { error_type: "result_too_large", detail: expect.stringContaining("64 KiB") },
    });
    const reply = await test.ask("GET", `/queue/acme/chat/requests/${id}`);
    expect(reply.headers.get("x-dctl-error-type")).toBe("result_too_large");
  });

  it("refuse requests beyond the number and the storage", async () => {
    Object.assign(test.limits, { openRequests: 1, totalBytes: 50 });
    const first = await test.submit({ name: "first", waits: true });
    await expect(test.submit({ name: "second" })).rejects.toThrow("queue_full");
    await until(
      () => got.length,
      (length) => length === 1,
    );
    release();
    await test.completed(first);
    await expect(test.submit({ name: "third" })).rejects.toThrow("overloaded");
  });

  it("delete expired results, and give their room back", async () => {
    test.limits.expiryMs = 300;
    const id = await test.submit({ name: "short" });
    await until(
      () => test.status(id),
      ({ error_type: type }) => type === "request_not_found",
    );
    expect(test.queue.store.totalBytes).toBe(0);
  });
});
