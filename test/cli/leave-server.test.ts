// Requests of other clients when a chat ends whose process hosts the server.
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { leaveServer, otherUsers } from "../../source/cli/leave-server.ts";
import { type NativeRecord, parseLines } from "../support/ndjson.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

let server: TestServer;
let errors: string;

beforeEach(async () => {
  errors = "";
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    errors += String(text);
    return true;
  });
  server = await TestServer.start({ num_parallel: 1 });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await server.close();
});

const linkTo = ({ hosted }: TestServer) => ({
  hosted,
  isHosting: true,
  close: async () => await hosted.close(),
});

/** Starts a long answer for another client, and waits for its first piece. */
async function askAsOther(tokens: number): Promise<{ records: () => Promise<NativeRecord[]> }> {
  const reply = await fetch(`${server.url}/api/generate`, {
    method: "POST",
    body: JSON.stringify({
      model: "tiny",
      prompt: "Write a long story.",
      // A long answer.
      format: { type: "array", items: { type: "integer" }, minItems: 1000 },
      options: { temperature: 0, num_predict: tokens },
    }),
  });
  await until(
    async () => server.hosted.requestLog.running,
    (running) => running.some(({ completionTokens = 0 }) => completionTokens > 0),
  );
  return { records: async () => parseLines(await reply.text()) };
}

test("waits for other clients, and accepts no new ones", async () => {
  const { records } = await askAsOther(300);
  const leaving = leaveServer(linkTo(server), 60_000);
  await expect(fetch(`${server.url}/api/version`)).rejects.toThrow("fetch failed");
  await leaving;
  expect((await records()).at(-1)).toMatchObject({ done: true, eval_count: 300 });
  expect(errors).toBe("Waiting for 1 request of other clients; press Ctrl+C to cancel.\n");
});

test("Ctrl+C cancels other clients' requests with an error", async () => {
  const others = process.rawListeners("SIGINT");
  process.removeAllListeners("SIGINT");
  onTestFinished(() => {
    for (const listener of others) process.on("SIGINT", listener as () => void);
  });
  const { records } = await askAsOther(4000);
  const leaving = leaveServer(linkTo(server), Number.POSITIVE_INFINITY);
  process.emit("SIGINT");
  await leaving;
  expect((await records()).at(-1)).toMatchObject({ code: "ENGINE_SHUTTING_DOWN" });
  expect(process.listenerCount("SIGINT")).toBe(0);
});

test("exits silently at once without other clients", async () => {
  await leaveServer(linkTo(server), Number.POSITIVE_INFINITY);
  expect(errors).toBe("");
});

const record = (agent: string, change: object = {}) =>
  ({
    client: { address: "", agent },
    model: "tiny",
    state: "done",
    startedAt: 0,
    ...change,
  }) as never;

test.each([
  ["nobody", [], undefined],
  ["only modelctl", [record("modelctl", { state: "running" })], undefined],
  ["one that asked for no model", [record("curl/8", { model: undefined })], undefined],
  [
    "one that runs",
    [record("curl/8", { state: "running" })],
    "Other clients have 1 running request.",
  ],
  ["one that ended lately", [record("curl/8")], "Another client used the server 5 minutes ago."],
  ["one of long ago", [record("curl/8", { startedAt: -3_600_000 })], undefined],
])("%s uses the server", (_name, records, sentence) => {
  const server = { requestLog: { records }, watchers: () => 1 };
  expect(otherUsers(server, 5 * 60_000)).toBe(sentence);
});

test.each([
  [1, undefined],
  [2, "Another terminal uses this server."],
  [4, "3 other terminals use this server."],
])("%i screens are open", async (screens, sentence) => {
  const closing = new AbortController();
  const { signal } = closing;
  for (let count = 0; count < screens; count += 1) {
    await fetch(`${server.url}/api/metrics?follow=true`, { signal });
  }
  expect(otherUsers(server.hosted, 0)).toBe(sentence);
  closing.abort();
  await until(
    async () => server.hosted.watchers(),
    (watchers) => watchers === 0,
  );
});
