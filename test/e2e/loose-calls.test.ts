// Calls that a model writes without its template's marks, over all chat APIs.
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import {
  foreignCallsTemplate,
  openaiClient,
  storeOf,
  user,
  weatherTool,
} from "../support/openai-client.ts";
import { isProof } from "../support/proof.ts";
import { downloadLimitMs, realModel } from "../support/real-models.ts";
import { sharedServer } from "../support/shared-server.ts";
import { TestServer } from "../support/test-server.ts";

let server: TestServer;
const model = "foreign";
const question = user("What is the weather in Paris?");
const expected = { city: "Paris" };
const { function: weather } = weatherTool;

beforeAll(async () => {
  server = await sharedServer();
});

describe("a call in another family's marks", () => {
  test("is a call in chat completions", async () => {
    const reply = await openaiClient(server).chat.completions.create({
      model,
      messages: [question],
      tools: [weatherTool],
      temperature: 0,
    });
    expect(reply.choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: { content: null, tool_calls: [{ function: { name: "get_weather" } }] },
    });
  });

  test("is streamed as a call", async () => {
    const stream = await openaiClient(server).chat.completions.create({
      model,
      messages: [question],
      tools: [weatherTool],
      temperature: 0,
      stream: true,
    });
    const pieces: string[] = [];
    const contents: string[] = [];
    for await (const { choices } of stream) {
      const delta = choices[0]?.delta;
      pieces.push(...(delta?.tool_calls ?? []).map((call) => call.function?.arguments ?? ""));
      contents.push(delta?.content ?? "");
    }
    expect(JSON.parse(pieces.join(""))).toEqual(expected);
    expect(contents.join("")).toBe("");
  });

  test("is a call in Responses and Messages", async () => {
    const responses = await server.post("/v1/responses", {
      model,
      input: question.content,
      temperature: 0,
      tools: [{ type: "function", ...weather }],
    });
    expect(responses.json).toMatchObject({
      output: [{ type: "function_call", name: "get_weather" }],
    });
    const messages = await server.post("/v1/messages", {
      model,
      max_tokens: 100,
      messages: [question],
      temperature: 0,
      tools: [{ name: weather.name, input_schema: weather.parameters }],
    });
    expect(messages.json).toMatchObject({
      stop_reason: "tool_use",
      content: [{ type: "tool_use", name: "get_weather", input: expected }],
    });
  });

  test("is marked, reported and counted", async () => {
    const body = { model, messages: [question], tools: [weatherTool], options: { temperature: 0 } };
    const reply = await server.post("/api/chat", { ...body, stream: false });
    expect(reply.headers.get("x-modelctl-warning")).toContain(
      "Read a call of get_weather from text",
    );
    expect(reply.json).toMatchObject({
      message: {
        content: "",
        tool_calls: [{ from_text: true, function: { name: "get_weather", arguments: expected } }],
      },
    });
    expect((await server.send("/metrics")).text).toMatch(
      /modelctl_calls_read_from_text_total [1-9]/,
    );
  });

  test("is the template's own call in the next turn", async () => {
    const reply = await server.post("/api/chat", {
      model,
      _debug_render_only: true,
      stream: false,
      messages: [
        question,
        {
          role: "assistant",
          content: "",
          tool_calls: [{ from_text: true, function: { name: "get_weather", arguments: expected } }],
        },
        { role: "tool", content: "sunny" },
      ],
      tools: [weatherTool],
    });
    expect(reply.text).toContain("[TOOL_CALLS]");
  });

  test.each<[string, object]>([
    ["JSON is wanted", { response_format: { type: "json_object" } }],
    ["no call is wanted", { tool_choice: "none" }],
  ])("stays text when %s", async (_, fields) => {
    const reply = await server.post("/v1/chat/completions", {
      model,
      messages: [question],
      tools: [weatherTool],
      temperature: 0,
      max_tokens: 60,
      ...fields,
    });
    expect(reply.status).toBe(200);
    expect(reply.text).not.toContain('"tool_calls"');
  });
});

test("a setting turns it off", async () => {
  const store = await storeOf({ foreign: { template: foreignCallsTemplate } });
  const strict = await TestServer.start({ loose_calls: false, models: store.path });
  try {
    const reply = await strict.post("/v1/chat/completions", {
      model,
      messages: [question],
      tools: [weatherTool],
      temperature: 0,
      max_tokens: 60,
    });
    expect(reply.json).toMatchObject({
      choices: [{ message: { content: expect.stringContaining("<tool_call>") } }],
    });
  } finally {
    await strict.close();
    store.remove();
  }
});

test.runIf(isProof)(
  "Qwen2.5-Coder, which leaves out its template's marks, calls a tool",
  async ({ skip }) => {
    const file = await realModel("qwen2.5-coder-0.5b");
    if (file === undefined) return skip();
    const started = await TestServer.start({ model_folders: [path.dirname(file)] });
    try {
      const reply = await started.post("/v1/chat/completions", {
        model: file,
        messages: [question],
        tools: [weatherTool],
        temperature: 0,
        max_tokens: 100,
      });
      expect(reply.json).toMatchObject({
        choices: [
          {
            finish_reason: "tool_calls",
            message: { tool_calls: [{ function: { name: "get_weather" } }] },
          },
        ],
      });
    } finally {
      await started.close();
    }
  },
  downloadLimitMs,
);
