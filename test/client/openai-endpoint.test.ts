// Goal: a chat works with servers of OpenAI's API, and reports what is wrong with others.
// Method: a server on loopback that answers with the bytes of the test.
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { ChatEvent } from "../../source/client/chat-events.ts";
import { type EndpointChat, OpenAiEndpoint } from "../../source/client/openai-endpoint.ts";

interface Seen {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
}

async function serve(status: number, reply: string) {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8");
    request.on("data", (piece: string) => {
      text += piece;
    });
    request.on("end", () => {
      const { method, url, headers } = request;
      seen.push({ method, url, headers, body: text === "" ? {} : JSON.parse(text) });
      response.writeHead(status, { "content-type": "text/event-stream" }).end(reply);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/local/tiny`;
  return { seen, url, endpoint: new OpenAiEndpoint({ url, authorization: "Key dk_secret" }) };
}

function request(change: Partial<EndpointChat> = {}): EndpointChat {
  return {
    model: "tiny",
    messages: [{ role: "user", content: "Hi" }],
    parameters: {},
    signal: new AbortController().signal,
    ...change,
  };
}

async function eventsOf(endpoint: OpenAiEndpoint, asked = request()): Promise<ChatEvent[]> {
  const events: ChatEvent[] = [];
  for await (const event of endpoint.chat(asked)) events.push(event);
  return events;
}

function stream(...chunks: unknown[]): string {
  return [...chunks.map((chunk) => `data: ${JSON.stringify(chunk)}`), "data: [DONE]", ""].join(
    "\n\n",
  );
}

const piece = (delta: unknown, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason }],
});

test("an answer arrives in pieces, with thinking apart and counts at the end", async () => {
  const { endpoint, seen } = await serve(
    200,
    stream(
      piece({ role: "assistant", content: "" }),
      piece({ reasoning_content: "Hm." }),
      piece({ content: "Hel" }),
      piece({ content: "lo" }),
      piece({}, "length"),
      {
        choices: [],
        usage: {
          prompt_tokens: 12,
          completion_tokens: 5,
          prompt_tokens_details: { cached_tokens: 4 },
        },
      },
    ),
  );
  const events = await eventsOf(endpoint);
  expect(events.slice(0, 3)).toEqual([
    { type: "thinking", text: "Hm." },
    { type: "text", text: "Hel" },
    { type: "text", text: "lo" },
  ]);
  expect(events[3]).toMatchObject({
    type: "done",
    statistics: {
      finishReason: "length",
      promptTokens: 12,
      cachedTokens: 4,
      completionTokens: 5,
      // All of it arrived at once, so its speed is unknown.
      completionMs: 0,
    },
  });
  expect(seen[0]).toMatchObject({
    method: "POST",
    url: "/local/tiny/v1/chat/completions",
    headers: { authorization: "Key dk_secret" },
    body: { model: "tiny", stream: true, messages: [{ role: "user", content: "Hi" }] },
  });
});

test("events of any form are read: comments, CRLF, data on several lines, no blank line at the end", async () => {
  const [first, second] = [piece({ content: "Hel" }), piece({ content: "lo" }, "stop")];
  const lines = JSON.stringify(second, undefined, 1).replaceAll(/^/gm, "data: ");
  const reply = `: waiting\n\nid: 1\r\ndata:${JSON.stringify(first)}\r\n\r\n${lines}`;
  const { endpoint } = await serve(200, reply);
  expect(await eventsOf(endpoint)).toMatchObject([
    { type: "text", text: "Hel" },
    { type: "text", text: "lo" },
    { type: "done" },
  ]);
});

test("settings and images are sent under OpenAI's names", async () => {
  const { endpoint, seen } = await serve(200, stream(piece({ content: "ok" }, "stop")));
  await eventsOf(
    endpoint,
    request({
      messages: [{ role: "user", content: "What is it?", images: ["/9j/AAAA", "iVBORw0K"] }],
      parameters: { num_predict: 7, temperature: 0.2, stop: ["\n"] },
      think: false,
      format: { type: "object" },
    }),
  );
  expect(seen[0]?.body).toMatchObject({
    max_tokens: 7,
    temperature: 0.2,
    stop: ["\n"],
    reasoning_effort: "none",
    response_format: { type: "json_schema", json_schema: { schema: { type: "object" } } },
    messages: [
      {
        role: "user",
        content: [
          { type: "image_url", image_url: { url: "data:image/jpeg;base64,/9j/AAAA" } },
          { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0K" } },
          { type: "text", text: "What is it?" },
        ],
      },
    ],
  });
});

test("tool calls arrive whole and in order, and are sent back unchanged", async () => {
  const call = (index: number, more: object) => piece({ tool_calls: [{ index, ...more }] });
  const { endpoint, seen } = await serve(
    200,
    stream(
      piece({ role: "assistant", content: null }),
      call(0, { id: "a", type: "function", function: { name: "weather", arguments: "" } }),
      call(0, { function: { arguments: '{"city":' } }),
      call(1, { id: "b", type: "function", function: { name: "clock", arguments: "" } }),
      call(0, { function: { arguments: '"Paris"}' } }),
      piece({}, "tool_calls"),
    ),
  );
  const called = [
    { name: "weather", arguments: { city: "Paris" } },
    { name: "clock", arguments: {} },
  ];
  const events = await eventsOf(
    endpoint,
    request({
      messages: [
        { role: "user", content: "Hi" },
        {
          role: "assistant",
          content: "",
          tool_calls: called.map((entry) => ({ function: entry })),
        },
      ],
    }),
  );
  expect(events.slice(0, 2)).toEqual(called.map((entry) => ({ type: "tool-call", ...entry })));
  expect(events[2]).toMatchObject({ type: "done", statistics: { finishReason: "stop" } });
  expect(seen[0]?.body.messages).toEqual([
    { role: "user", content: "Hi" },
    {
      role: "assistant",
      content: "",
      tool_calls: [
        {
          id: "call_1_0",
          type: "function",
          function: { name: "weather", arguments: '{"city":"Paris"}' },
        },
        { id: "call_1_1", type: "function", function: { name: "clock", arguments: "{}" } },
      ],
    },
  ]);
});

test("a call cut by the length limit is shown as text, once", async () => {
  const begun = piece({
    tool_calls: [{ index: 0, function: { name: "weather", arguments: '{"ci' } }],
  });
  const silent = await serve(200, stream(begun, piece({}, "length")));
  expect(await eventsOf(silent.endpoint)).toMatchObject([
    { type: "text", text: 'weather {"ci' },
    { type: "done", statistics: { finishReason: "length" } },
  ]);
  const telling = await serve(200, stream(begun, piece({ content: "said" }), piece({}, "length")));
  expect(await eventsOf(telling.endpoint)).toMatchObject([
    { type: "text", text: "said" },
    { type: "done" },
  ]);
});

test("dropped turns of the conversation are reported", async () => {
  const { endpoint } = await serve(
    200,
    stream(piece({ content: "ok" }), {
      ...piece({}, "stop"),
      truncated: { messages: 3, tokens: 400 },
    }),
  );
  expect((await eventsOf(endpoint)).at(-1)).toMatchObject({
    statistics: { truncated: { messages: 3, tokens: 400 } },
  });
});

test.each([
  [
    "OpenAI's",
    404,
    { error: { message: "no such model", code: "model_not_found" } },
    "no such model",
  ],
  [
    "the gateway's",
    401,
    { detail: "The key is not valid.", error_type: "auth_invalid" },
    "The key",
  ],
  ["no known", 502, "<html>", "answered 502 to /v1/chat/completions"],
])("an error in %s form is reported", async (_form, status, body, sentence) => {
  const { endpoint } = await serve(status, JSON.stringify(body));
  await expect(eventsOf(endpoint)).rejects.toMatchObject({
    status,
    message: expect.stringContaining(sentence),
  });
});

test("an error during an answer, or an answer without an end, is a failure", async () => {
  const broken = await serve(
    200,
    stream(piece({ content: "a" }), { error: { message: "it broke" } }),
  );
  await expect(eventsOf(broken.endpoint)).rejects.toThrow("it broke");
  const cut = await serve(200, `data: ${JSON.stringify(piece({ content: "a" }))}\n\n`);
  await expect(eventsOf(cut.endpoint)).rejects.toMatchObject({ code: "CLIENT_SERVER_VANISHED" });
});

test("models are listed; anything but a list is reported as another protocol", async () => {
  const good = await serve(200, JSON.stringify({ data: [{ id: "tiny:latest" }, { name: "x" }] }));
  expect(await good.endpoint.models()).toEqual(["tiny:latest"]);
  const other = await serve(200, JSON.stringify({ hello: "world" }));
  await expect(other.endpoint.models()).rejects.toMatchObject({
    code: "CLIENT_REPLY_UNREADABLE",
    message: expect.stringContaining("does not support OpenAI's API"),
  });
});

test("an unreachable address is named, without advice for another server", async () => {
  const { endpoint } = { endpoint: new OpenAiEndpoint({ url: "http://127.0.0.1:1/local/tiny" }) };
  const error = await endpoint.models().catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    code: "CLIENT_SERVER_UNREACHABLE",
    sentence: expect.not.stringContaining("modelctl serve"),
  });
});
