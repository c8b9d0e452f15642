// Stream of /v1/messages on the wire: events, their order, and the end.
import { beforeAll, beforeEach, expect, test } from "vitest";
import { eventsOf, orderOf, type WireEvent } from "../support/named-events.ts";
import { sharedServer } from "../support/shared-server.ts";
import type { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

let server: TestServer;

beforeAll(async () => {
  server = await sharedServer();
});
beforeEach(async () => {
  expect(await server.ask("What is 2 + 3?")).toBe("2 + 3 = 5");
});

const route = "/v1/messages";
const user = (content: string) => [{ role: "user", content }];
const tool = {
  name: "get_weather",
  description: "Get the weather in a city",
  input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
const request = (content: string, more: Record<string, unknown> = {}) =>
  JSON.stringify({
    model: "tiny",
    max_tokens: 1000,
    messages: user(content),
    stream: true,
    ...more,
  });

async function stream(content: string, more: Record<string, unknown> = {}): Promise<WireEvent[]> {
  const { status, text, headers } = await server.post(route, request(content, more));
  expect(status).toBe(200);
  expect(headers.get("content-type")).toMatch(/^text\/event-stream/);
  expect(headers.get("request-id")).toMatch(/./);
  return eventsOf(text);
}

/** Leaves out pings, which may come anywhere. */
const withoutPings = (events: WireEvent[]) => events.filter(({ type }) => type !== "ping");

const block = ["content_block_start", "content_block_delta", "content_block_stop"];

/** Returns the delta types of each block. */
const deltasOf = (events: WireEvent[]) =>
  events
    .filter(({ type }) => type === "content_block_delta")
    .map(({ index, delta }) => `${index} ${(delta as { type: string }).type}`)
    .filter((entry, index, all) => entry !== all[index - 1]);

test("streams text as one block in one message", async () => {
  const events = await stream("What is the capital of France?");
  expect(events.some(({ type }) => type === "ping")).toBe(true);
  expect(orderOf(withoutPings(events))).toEqual([
    "message_start",
    ...block,
    "message_delta",
    "message_stop",
  ]);
  expect(events[0]).toMatchObject({
    message: {
      id: expect.stringMatching(/^msg_/),
      type: "message",
      role: "assistant",
      model: "tiny",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: expect.any(Number), output_tokens: 0 },
    },
  });
  const text = events.map(({ delta }) => (delta as { text?: string } | undefined)?.text ?? "");
  expect(text.join("")).toBe("The capital of France is Paris.");
  expect(events.at(-2)).toMatchObject({
    delta: { stop_reason: "end_turn", stop_sequence: null },
    usage: { output_tokens: 13 },
  });
});

test("streams thinking and text as two blocks, the first with a signature", async () => {
  const events = withoutPings(await stream("What is the capital of France?", { model: "thinker" }));
  expect(orderOf(events)).toEqual([
    "message_start",
    ...block,
    ...block,
    "message_delta",
    "message_stop",
  ]);
  expect(deltasOf(events)).toEqual(["0 thinking_delta", "0 signature_delta", "1 text_delta"]);
});

test("streams the input of a tool call as pieces of JSON", async () => {
  const events = withoutPings(await stream("What is the weather in Paris?", { tools: [tool] }));
  expect(deltasOf(events)).toEqual(["0 input_json_delta"]);
  const start = events.find(({ type }) => type === "content_block_start");
  expect(start?.content_block).toMatchObject({ type: "tool_use", name: "get_weather", input: {} });
  expect(events.at(-2)).toMatchObject({ delta: { stop_reason: "tool_use" } });
});

/** Returns the stream of an endless answer; calls `act` once its text has begun. */
async function interrupt(act: (reply: Response) => Promise<unknown>): Promise<WireEvent[]> {
  const body = request("Write a long story.", { options: { frequency_penalty: -2 } });
  const reply = await fetch(server.url + route, { method: "POST", body });
  let text = "";
  let isDone = false;
  const decoder = new TextDecoder();
  for await (const piece of reply.body ?? []) {
    text += decoder.decode(piece, { stream: true });
    if (!isDone && text.includes("text_delta")) {
      isDone = true;
      await act(reply);
    }
  }
  return eventsOf(text);
}

test("ends with an error event when the runner dies", async () => {
  const events = await interrupt(async () => {
    await server.killRunner("tiny");
  });
  expect(events.at(-1)).toMatchObject({
    type: "error",
    error: { type: "api_error", message: expect.stringContaining("unexpectedly stopped") },
    request_id: expect.any(String),
  });
  expect(events.some(({ type }) => type === "message_stop")).toBe(false);
});

test("is cancelled by the id of the request", async () => {
  const events = await interrupt(async ({ headers }) =>
    server.post("/api/cancel", { id: headers.get("request-id") }),
  );
  expect(events.at(-1)).toMatchObject({ type: "error", error: { type: "api_error" } });
});

test("stops the work when the client disconnects", async () => {
  const leaving = new AbortController();
  const { signal } = leaving;
  const body = request("Write a long story.");
  const reply = await fetch(server.url + route, { method: "POST", body, signal });
  await reply.body?.getReader().read();
  leaving.abort();
  const record = await until(
    async () => (await server.requests()).findLast(({ path }) => path === route),
    (found) => found?.state !== "running",
  );
  expect(record).toMatchObject({ status: 499, stream: true });
  await server.untilQuiet();
});
