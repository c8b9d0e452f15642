// Stream of /v1/responses on the wire: events, their order, and the end.
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
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

const route = "/v1/responses";
const capital = "What is the capital of France?";
const tool = {
  type: "function",
  name: "get_weather",
  description: "Get the weather in a city",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
const long = { model: "tiny", input: "Write a long story.", stream: true };

interface Item {
  id: string;
  type: string;
  status: string;
}
interface Lifecycle extends WireEvent {
  response: { status: string; output: Item[]; usage: unknown; error: unknown };
}

async function stream(body: Record<string, unknown>): Promise<WireEvent[]> {
  const { status, text, headers } = await server.post(route, {
    model: "tiny",
    stream: true,
    ...body,
  });
  expect(status).toBe(200);
  expect(headers.get("content-type")).toMatch(/^text\/event-stream/);
  return eventsOf(text);
}

const lifecycle = (events: WireEvent[], type: string) =>
  events.filter((event): event is Lifecycle => event.type === type);

/** Checks for every stream, however it ends. */
function expectSound(events: WireEvent[], end: string): Lifecycle {
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual([...events.keys()]);
  expect(events.slice(0, 2).map(({ type }) => type)).toEqual([
    "response.created",
    "response.in_progress",
  ]);
  const [created] = lifecycle(events, "response.created");
  expect(created?.response).toMatchObject({ status: "in_progress", output: [], usage: null });
  const last = lifecycle(events, end).at(-1);
  if (last === undefined || events.at(-1) !== last) throw new Error(`it ends without ${end}`);
  // The pieces add up to the whole.
  const done = events.filter(({ type }) => type === "response.output_item.done");
  expect(done.map(({ item }) => item)).toEqual(last.response.output);
  expect(done.map(({ output_index }) => output_index)).toEqual([...done.keys()]);
  for (const [index, item] of last.response.output.entries()) {
    const own = events.filter(({ output_index }) => output_index === index);
    const ids = own.map(({ item_id, item: whole }) => item_id ?? (whole as Item).id);
    expect(new Set(ids)).toEqual(new Set([item.id]));
    expect(own[0]).toMatchObject({ type: "response.output_item.added", item: { id: item.id } });
  }
  return last;
}

const textEvents = [
  "response.output_item.added",
  "response.content_part.added",
  "response.output_text.delta",
  "response.output_text.done",
  "response.content_part.done",
  "response.output_item.done",
];

test("streams text as one message with one part", async () => {
  const events = await stream({ input: capital });
  const { response } = expectSound(events, "response.completed");
  expect(orderOf(events)).toEqual([
    "response.created",
    "response.in_progress",
    ...textEvents,
    "response.completed",
  ]);
  const deltas = events.filter(({ type }) => type === "response.output_text.delta");
  const text = deltas.map(({ delta }) => delta).join("");
  expect(text).toBe("The capital of France is Paris.");
  expect(deltas.every(({ logprobs }) => Array.isArray(logprobs))).toBe(true);
  const done = events.find(({ type }) => type === "response.output_text.done");
  expect(done).toMatchObject({ text, content_index: 0, logprobs: [] });
  expect(response).toMatchObject({ status: "completed", usage: expect.anything() });
});

test("streams reasoning as a summary before the text", async () => {
  const events = await stream({ model: "thinker", input: capital });
  expectSound(events, "response.completed");
  expect(orderOf(events)).toEqual([
    "response.created",
    "response.in_progress",
    "response.output_item.added",
    "response.reasoning_summary_part.added",
    "response.reasoning_summary_text.delta",
    "response.reasoning_summary_text.done",
    "response.reasoning_summary_part.done",
    "response.output_item.done",
    ...textEvents,
    "response.completed",
  ]);
});

test("streams the arguments of a call in pieces", async () => {
  const events = await stream({ input: "What is the weather in Paris?", tools: [tool] });
  expectSound(events, "response.completed");
  expect(orderOf(events)).toEqual([
    "response.created",
    "response.in_progress",
    "response.output_item.added",
    "response.function_call_arguments.delta",
    "response.function_call_arguments.done",
    "response.output_item.done",
    "response.completed",
  ]);
  const added = events.find(({ type }) => type === "response.output_item.added");
  expect(added?.item).toMatchObject({ name: "get_weather", arguments: "", status: "in_progress" });
});

test("ends as incomplete at the token limit", async () => {
  const events = await stream({ input: capital, max_output_tokens: 3 });
  expect(expectSound(events, "response.incomplete").response).toMatchObject({
    status: "incomplete",
    incomplete_details: { reason: "max_output_tokens" },
    output: [{ status: "incomplete" }],
  });
});

test("has an error status before the first event", async () => {
  const body = { model: "tiny", stream: true, input: "word ".repeat(6000) };
  const { status, headers } = await server.post(route, body);
  expect(status).toBe(400);
  expect(headers.get("content-type")).toMatch(/^application\/json/);
});

test("reports what was left out of the conversation in a header and at the end", async () => {
  const input = [
    { role: "user", content: "word ".repeat(6000) },
    { role: "assistant", content: "I do not know that." },
    { role: "user", content: capital },
  ];
  const body = { model: "tiny", truncation: "auto", input };
  for (const stream of [false, true]) {
    const { headers, text, json } = await server.post(route, { ...body, stream });
    expect(headers.get("x-modelctl-truncated")).toMatch(/^messages=2, tokens=\d+$/);
    const response = stream ? eventsOf(text).at(-1)?.response : json;
    expect(response).toMatchObject({ truncated: { messages: 2, tokens: expect.any(Number) } });
  }
});

describe("an interrupted stream", () => {
  /** Returns the stream of a long answer; calls `act` once its text has begun. */
  async function interrupt(act: (reply: Response) => Promise<unknown>): Promise<WireEvent[]> {
    const body = JSON.stringify({ ...long, options: { frequency_penalty: -2 } });
    const reply = await fetch(server.url + route, { method: "POST", body });
    let text = "";
    let isDone = false;
    const decoder = new TextDecoder();
    for await (const piece of reply.body ?? []) {
      text += decoder.decode(piece, { stream: true });
      if (!isDone && text.includes("output_text.delta")) {
        isDone = true;
        await act(reply);
      }
    }
    return eventsOf(text);
  }

  const failing = ["response.output_item.done", "error", "response.failed"];

  test("sends an error and a failed response when the runner dies", async () => {
    const events = await interrupt(async () => {
      await server.killRunner("tiny");
    });
    const { response } = expectSound(events, "response.failed");
    expect(orderOf(events).slice(-3)).toEqual(failing);
    expect(events.at(-2)).toMatchObject({ type: "error", code: "ENGINE_RUNNER_CRASHED" });
    expect(response).toMatchObject({
      status: "failed",
      error: { code: "server_error", message: events.at(-2)?.message },
      output: [{ status: "incomplete" }],
    });
  });

  test("sends them when cancelled by its id", async () => {
    const events = await interrupt(async ({ headers }) =>
      server.post("/api/cancel", { id: headers.get("x-request-id") }),
    );
    expectSound(events, "response.failed");
    expect(events.at(-2)).toMatchObject({ type: "error", code: "ENGINE_CANCELLED" });
  });

  test("stops the work when the client disconnects", async () => {
    const leaving = new AbortController();
    const body = JSON.stringify(long);
    const reply = await fetch(server.url + route, { method: "POST", body, signal: leaving.signal });
    await reply.body?.getReader().read();
    leaving.abort();
    const record = await until(
      async () => (await server.requests()).findLast(({ path }) => path === route),
      (found) => found?.state !== "running",
    );
    expect(record).toMatchObject({ status: 499, stream: true });
    await server.untilQuiet();
  });
});
