// Tools over the OpenAI-compatible API: calls, their results, and tool_choice.
import type OpenAI from "openai";
import { beforeAll, describe, expect, test } from "vitest";
import { dataOf, failure, openaiClient, user, weatherTool } from "../support/openai-client.ts";
import { messagesOf, toolPairs } from "../support/pairs.ts";
import { sharedServer } from "../support/shared-server.ts";
import type { TestServer } from "../support/test-server.ts";

let server: TestServer;
let client: OpenAI;

beforeAll(async () => {
  server = await sharedServer();
  client = openaiClient(server);
});

type Body = Partial<OpenAI.ChatCompletionCreateParamsNonStreaming>;

const model = "tiny";
const question = user("What is the weather in Paris?");
const clockTool = {
  type: "function" as const,
  function: { name: "get_time", parameters: { type: "object", properties: {} } },
};

async function ask(content: string, body: Body = {}) {
  const reply = await client.chat.completions.create({
    model,
    messages: [user(content)],
    tools: [weatherTool],
    ...body,
  });
  const [choice] = reply.choices;
  if (choice === undefined) throw new Error("no choice");
  return choice;
}

/** Returns names and arguments of the calls. */
function callsOf({ message }: OpenAI.ChatCompletion.Choice) {
  return (message.tool_calls ?? []).map((call) =>
    call.type === "function"
      ? [call.function.name, JSON.parse(call.function.arguments)]
      : [call.type],
  );
}

describe("a tool call", () => {
  test.each(toolPairs.map((pair) => ({ title: pair.turns.at(-1)?.[1], pair })))(
    "is the recorded one: $title",
    async ({ pair }) => {
      const reply = await client.chat.completions.create({
        model,
        messages: messagesOf(pair) as OpenAI.ChatCompletionMessageParam[],
        tools: pair.tools ?? [],
      });
      const [choice] = reply.choices;
      const [, json] = /^<tool_call>(.*)<\/tool_call>$/s.exec(pair.expect) ?? [];
      if (json === undefined) {
        expect(choice).toMatchObject({ message: { content: pair.expect }, finish_reason: "stop" });
        expect(choice?.message.tool_calls).toBeUndefined();
      } else {
        const expected = JSON.parse(json);
        expect(choice).toMatchObject({ message: { content: null }, finish_reason: "tool_calls" });
        expect(choice && callsOf(choice)).toEqual([[expected.name, expected.arguments]]);
      }
    },
  );

  test.each(["Rome", "Paris", "Tokyo", "Berlin", "Madrid", "Oslo", "Lisbon", "Vienna"])(
    "names a tool of the request, even against the model: the weather in %s",
    async (city) => {
      const choice = await ask(`What is the weather in ${city}?`, { temperature: 0 });
      expect(choice.finish_reason).toBe("tool_calls");
      expect(callsOf(choice)).toEqual([["get_weather", { city: expect.any(String) }]]);
    },
  );

  test("has arguments that match the tool's schema, even against the model", async () => {
    const parameters = {
      type: "object",
      properties: { place: { enum: ["here", "there"] }, days: { type: "integer" } },
      required: ["place", "days"],
    };
    const forecast = { type: "function" as const, function: { name: "get_forecast", parameters } };
    const choice = await ask(question.content, { temperature: 0, tools: [forecast] });
    expect(callsOf(choice)).toEqual([
      [
        "get_forecast",
        { place: expect.stringMatching(/^(here|there)$/), days: expect.any(Number) },
      ],
    ]);
  });

  test("is absent from an answer in words", async () => {
    const choice = await ask("Hello!", { temperature: 0 });
    expect(choice).toMatchObject({ finish_reason: "stop" });
    expect(choice.message.tool_calls).toBeUndefined();
  });

  test.each([
    [
      "/v1/chat/completions",
      (fn: object) => ({ messages: [question], tools: [{ type: "function", function: fn }] }),
    ],
    [
      "/api/chat",
      (fn: object) => ({ messages: [question], tools: [{ type: "function", function: fn }] }),
    ],
    ["/v1/responses", (fn: object) => ({ input: "Hi", tools: [{ type: "function", ...fn }] })],
    [
      "/v1/messages",
      (fn: object) => ({
        max_tokens: 5,
        messages: [question],
        tools: [{ ...fn, input_schema: Reflect.get(fn, "parameters") }],
      }),
    ],
  ])(
    "%s refuses names with control characters and schemas that no grammar can express",
    async (path, body) => {
      const named = await server.post(path, {
        model,
        ...body({ name: "a\nb", parameters: { type: "object" } }),
      });
      expect(named.status).toBe(400);
      expect(named.text).toContain("control characters");
      const parameters = {
        type: "object",
        properties: { city: { $ref: "https://example.com/city" } },
      };
      const remote = await server.post(path, { model, ...body({ name: "f", parameters }) });
      expect(remote.status).toBe(400);
      expect(remote.text).toContain("/properties/city/$ref");
    },
  );

  test("has its own id, and its result is used", async () => {
    const { message } = await ask(question.content);
    const [call] = message.tool_calls ?? [];
    expect(call?.id).toMatch(/^call_\w+$/);
    const last = await client.chat.completions.create({
      model,
      tools: [weatherTool],
      messages: [
        question,
        message,
        { role: "tool", tool_call_id: call?.id ?? "", content: "sunny, 21 degrees" },
      ],
    });
    expect(last.choices[0]?.message.content).toBe("The tool says: sunny, 21 degrees");
  });

  test("streams as deltas: id and name once, then the arguments in pieces", async () => {
    const { text } = await server.post("/v1/chat/completions", {
      model,
      messages: [question],
      tools: [weatherTool],
      stream: true,
    });
    const data = dataOf(text);
    expect(data.pop()).toBe("[DONE]");
    const choices = (data as OpenAI.ChatCompletionChunk[]).map(({ choices: [choice] }) => choice);
    expect(choices[0]?.delta).toEqual({
      role: "assistant",
      content: null,
      tool_calls: [
        {
          index: 0,
          id: expect.stringMatching(/^call_/),
          type: "function",
          function: { name: "get_weather", arguments: "" },
        },
      ],
    });
    const pieces = choices.slice(1, -1).map((choice) => choice?.delta);
    for (const delta of pieces) {
      const { arguments: piece } = delta?.tool_calls?.[0]?.function ?? {};
      expect(delta).toEqual({ tool_calls: [{ index: 0, function: { arguments: piece } }] });
    }
    const json = pieces.map((delta) => delta?.tool_calls?.[0]?.function?.arguments).join("");
    expect(JSON.parse(json)).toEqual({ city: "Paris" });
    expect(choices.at(-1)).toMatchObject({ delta: {}, finish_reason: "tool_calls" });
  });

  test("is assembled by the stream helper", async () => {
    const done: unknown[] = [];
    const stream = client.chat.completions
      .stream({ model, messages: [question], tools: [weatherTool] })
      .on("tool_calls.function.arguments.done", (event) => done.push(event));
    const message = await stream.finalMessage();
    expect(message.tool_calls).toMatchObject([
      { type: "function", function: { name: "get_weather", arguments: '{"city": "Paris"}' } },
    ]);
    expect(done).toMatchObject([{ index: 0, name: "get_weather" }]);
  });

  test("cut by the token limit is plain content", async () => {
    const choice = await ask(question.content, { max_tokens: 16 });
    expect(choice.finish_reason).toBe("length");
    expect(choice.message.tool_calls).toBeUndefined();
    expect(choice.message.content).toMatch(/^<tool_call>\{"name": "get_weather"/);
  });

  test("works with runTools until the final answer", async () => {
    const cities: string[] = [];
    const runner = client.chat.completions.runTools({
      model,
      messages: [question],
      tools: [
        {
          type: "function",
          function: {
            ...weatherTool.function,
            parse: JSON.parse,
            function: ({ city }: { city: string }) => {
              cities.push(city);
              return "sunny, 21 degrees";
            },
          },
        },
      ],
    });
    expect(await runner.finalContent()).toBe("The tool says: sunny, 21 degrees");
    expect(cities).toEqual(["Paris"]);
  });

  test("works with runTools in a stream", async () => {
    const runner = client.chat.completions.runTools({
      model,
      stream: true,
      messages: [question],
      tools: [
        {
          type: "function",
          function: { ...weatherTool.function, parse: JSON.parse, function: () => "rainy" },
        },
      ],
    });
    expect(await runner.finalContent()).toBe("The tool says: rainy");
  });
});

describe("tool_choice", () => {
  test("none answers as without tools", async () => {
    const choice = await ask(question.content, { tool_choice: "none" });
    expect(choice.message.content).toBe("I do not know the weather in Paris.");
    expect(choice.finish_reason).toBe("stop");
  });

  test("required calls a tool for any question", async () => {
    const choice = await ask("What is 2 + 3?", { tool_choice: "required" });
    expect(choice.finish_reason).toBe("tool_calls");
    expect(callsOf(choice)).toEqual([["get_weather", { city: expect.any(String) }]]);
  });

  test("a function name calls that tool", async () => {
    const choice = await ask(question.content, {
      tools: [weatherTool, clockTool],
      tool_choice: { type: "function", function: { name: "get_time" } },
    });
    expect(callsOf(choice)).toEqual([["get_time", expect.any(Object)]]);
  });

  test("allowed_tools excludes the others", async () => {
    const choice = await ask(question.content, {
      tools: [weatherTool, clockTool],
      tool_choice: {
        type: "allowed_tools",
        allowed_tools: {
          mode: "required",
          tools: [{ type: "function", function: { name: "get_time" } }],
        },
      },
    });
    expect(callsOf(choice)).toEqual([["get_time", expect.any(Object)]]);
  });

  test("without parallel calls makes one call at a time", async () => {
    const choice = await ask(question.content, {
      tool_choice: "required",
      parallel_tool_calls: false,
    });
    expect(callsOf(choice)).toHaveLength(1);
  });

  const unknown = { type: "function" as const, function: { name: "nobody" } };
  test.each([
    ["an unknown tool", { tool_choice: unknown }, "tool_choice.function.name"],
    [
      "an unknown allowed tool",
      {
        tool_choice: {
          type: "allowed_tools" as const,
          allowed_tools: { mode: "auto" as const, tools: [unknown] },
        },
      },
      "tool_choice.allowed_tools.tools.0.function.name",
    ],
    ["a call without tools", { tools: [], tool_choice: "required" as const }, "tool_choice"],
    ["another word", { tool_choice: "sometimes" as never }, "tool_choice"],
    [
      "a custom tool",
      { tools: [{ type: "custom" as const, custom: { name: "f" } }] },
      "tools.0.type",
    ],
    ["older functions", { functions: [{ name: "f", parameters: {} }] }, "functions"],
    ["an older choice", { function_call: { name: "f" } }, "function_call"],
  ])("%s is refused with its position", async (_what, body: Body, param) => {
    const error = await failure(ask(question.content, body));
    expect(error).toMatchObject({ status: 400, type: "invalid_request_error", param });
  });

  test("a model without tool support is refused with the text that clients match", async () => {
    const error = await failure(ask(question.content, { model: "toolless" }));
    expect(error).toMatchObject({ status: 400, param: "tools" });
    expect(error.message).toContain("toolless does not support tools");
  });
});

describe("a conversation with tool calls", () => {
  const call = (text: unknown) => ({
    role: "assistant",
    content: null,
    tool_calls: [
      { id: "call_1", type: "function", function: { name: "get_weather", arguments: text } },
    ],
  });
  const post = async (messages: unknown[]) =>
    await server.post("/v1/chat/completions", { model, messages, tools: [weatherTool] });

  test.each(["", "{", "[]", '"Paris"', "null"])(
    "refuses arguments that are not a JSON object: %j",
    async (text) => {
      const { status, json } = await post([question, call(text)]);
      expect(status).toBe(400);
      expect(json).toMatchObject({
        error: {
          message: expect.stringContaining("invalid tool call arguments"),
          param: "messages.1.tool_calls.0.function.arguments",
        },
      });
    },
  );

  test.each<[string, unknown, string]>([
    [
      "a part",
      { ...question, content: [{ type: "text", text: "a" }, { text: "b" }] },
      "content.1.type",
    ],
    [
      "a call",
      { ...call("{}"), tool_calls: [{ function: { name: "f" } }] },
      "tool_calls.0.function.arguments",
    ],
    ["arguments", call({ city: "Paris" }), "tool_calls.0.function.arguments"],
  ])("reports the position of an error in %s", async (_what, message, place) => {
    const { json } = await post([question, message]);
    expect(json).toMatchObject({ error: { param: `messages.1.${place}` } });
  });

  test("refuses null content without calls", async () => {
    const { status, json } = await post([question, { role: "assistant", content: null }]);
    expect(status).toBe(400);
    expect(json).toMatchObject({
      error: {
        message: expect.stringContaining("invalid message content type: <nil>"),
        param: "messages.1.content",
      },
    });
  });

  test("accepts messages as libraries print them, with null for missing fields", async () => {
    const nothing = { refusal: null, audio: null, function_call: null, annotations: [] };
    const { json, status } = await post([
      { ...question, name: null, tool_calls: null, tool_call_id: null },
      { ...call('{"city": "Paris"}'), ...nothing, reasoning_content: null },
      {
        role: "tool",
        tool_call_id: "call_1",
        content: [{ type: "text", text: "sunny, 21 degrees" }],
      },
    ]);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      choices: [{ message: { content: "The tool says: sunny, 21 degrees" } }],
    });
  });
});
