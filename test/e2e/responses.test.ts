// OpenAI's Responses API with OpenAI's own client library.
import OpenAI from "openai";
import { zodTextFormat } from "openai/helpers/zod";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { failure, openaiClient } from "../support/openai-client.ts";
import { apiPairs, messagesOf } from "../support/pairs.ts";
import { sharedServer } from "../support/shared-server.ts";
import type { TestServer } from "../support/test-server.ts";

let server: TestServer;
let client: OpenAI;

beforeAll(async () => {
  server = await sharedServer();
  client = openaiClient(server);
});

type Body = Partial<Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, "stream">>;
type Input = OpenAI.Responses.ResponseInput;

const model = "tiny";
const capital = "What is the capital of France?";
const capitalAnswer = "The capital of France is Paris.";
const weather = "What is the weather in Paris?";
const weatherTool = {
  type: "function" as const,
  name: "get_weather",
  description: "Get the weather in a city",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  strict: false,
};

async function respond(input: string | Input, body: Body = {}) {
  return await client.responses.create({ model, input, ...body });
}

async function answerTo(input: string | Input, body: Body = {}): Promise<string> {
  return (await respond(input, body)).output_text;
}

/** Response as assembled by the stream helper. */
async function streamed(input: string | Input, body: Body = {}) {
  return await client.responses.stream({ model, input, ...body }).finalResponse();
}

describe("the model's recorded answers", () => {
  test.each(apiPairs.map((pair) => ({ title: pair.turns.at(-1)?.[1], pair })))(
    "$title",
    async ({ pair }) => {
      const input = messagesOf(pair) as Input;
      const whole = await respond(input);
      expect(whole.output_text).toBe(pair.expect);
      expect(whole.status).toBe("completed");
      expect((await streamed(input)).output_text).toBe(pair.expect);
    },
  );
});

describe("input", () => {
  test("is text, or a message with or without type and parts", async () => {
    const parts = [
      { type: "input_text" as const, text: "What is the capital " },
      { type: "input_text" as const, text: "of France?" },
    ];
    for (const input of [
      capital,
      [{ role: "user", content: capital }],
      [{ type: "message", role: "user", content: capital }],
      [{ type: "message", role: "user", content: parts }],
    ] as Array<string | Input>) {
      expect(await answerTo(input)).toBe(capitalAnswer);
    }
  });

  test("continues after an output that is sent back unchanged", async () => {
    const first = await respond("My name is Bob.");
    const input: Input = [
      { role: "user", content: "My name is Bob." },
      ...(first.output as Input),
      { role: "user", content: "What is my name?" },
    ];
    expect(await answerTo(input)).toBe("Your name is Bob.");
  });

  test("has its instructions first", async () => {
    const pirate = "Arr, The capital of France is Paris.";
    expect(await answerTo(capital, { instructions: "You are a pirate." })).toBe(pirate);
    for (const role of ["system", "developer"] as const) {
      const message = { role, content: "You are a pirate." };
      expect(await answerTo([message, { role: "user", content: capital }])).toBe(pirate);
    }
    expect(await answerTo(capital, { model: "pirate" })).toBe(pirate);
    const cat = { model: "pirate", instructions: "You are a cat." };
    expect(await answerTo(capital, cat)).toBe("Meow, The capital of France is Paris.");
  });
});

describe("the response", () => {
  test("repeats the request and has its own ids", async () => {
    const body: Body = {
      instructions: "You are a cat.",
      metadata: { purpose: "test" },
      max_output_tokens: 100,
      temperature: 0,
      top_p: 0.5,
      tools: [weatherTool],
      tool_choice: "auto",
      parallel_tool_calls: false,
      store: true,
    };
    const replies = [await respond("Hello!", body), await respond("Hello!", body)];
    for (const reply of replies) {
      expect(reply).toMatchObject({ ...body, model, store: false, object: "response" });
      expect(reply.id).toMatch(/^resp_\w+$/);
      expect(reply.output).toMatchObject([
        {
          id: expect.stringMatching(/^msg_\w+$/),
          type: "message",
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", annotations: [], logprobs: [] }],
        },
      ]);
    }
    const ids = replies.flatMap(({ id, output }) => [id, ...output.map((item) => item.id)]);
    expect(new Set(ids).size).toBe(4);
  });

  test("counts input and output tokens, cached ones included", async () => {
    const phrase = "Repeat after me: seven green apple stone";
    const completion = await client.chat.completions.create({
      model,
      messages: [{ role: "user", content: phrase }],
    });
    for (const reply of [await respond(phrase), await streamed(phrase)]) {
      expect(reply.usage).toMatchObject({
        input_tokens: completion.usage?.prompt_tokens,
        output_tokens: completion.usage?.completion_tokens,
        total_tokens: completion.usage?.total_tokens,
        output_tokens_details: { reasoning_tokens: 0 },
      });
      expect(reply.usage?.input_tokens_details.cached_tokens).toBeGreaterThan(0);
    }
  });

  test("cut by the token limit is incomplete and says why", async () => {
    for (const reply of [
      await respond(capital, { max_output_tokens: 3 }),
      await streamed(capital, { max_output_tokens: 3 }),
    ]) {
      expect(reply).toMatchObject({
        status: "incomplete",
        incomplete_details: { reason: "max_output_tokens" },
        output: [{ type: "message", status: "incomplete" }],
        usage: { output_tokens: 3 },
      });
      expect(capitalAnswer.startsWith(reply.output_text)).toBe(true);
    }
  });

  test("has log-probabilities on request", async () => {
    const wanted: Body = { include: ["message.output_text.logprobs"], top_logprobs: 2 };
    for (const reply of [await respond(capital, wanted), await streamed(capital, wanted)]) {
      const [item] = reply.output;
      const [part] = item?.type === "message" ? item.content : [];
      const logprobs = part?.type === "output_text" ? (part.logprobs ?? []) : [];
      expect(logprobs.map(({ token }) => token).join("")).toBe(capitalAnswer);
      for (const { token, logprob, top_logprobs } of logprobs) {
        expect(top_logprobs).toHaveLength(2);
        expect(top_logprobs[0]).toMatchObject({ token, logprob });
      }
    }
  });
});

describe("text.format", () => {
  const Capital = z.object({ capital: z.string() });
  const question = "Reply in JSON with the capital of France.";

  test("from zod is parsed, whole and streamed", async () => {
    const text = { format: zodTextFormat(Capital, "capital") };
    const whole = await client.responses.parse({ model, input: question, text });
    expect(whole.output_parsed).toEqual({ capital: "Paris" });
    const stream = client.responses.stream({ model, input: question, text });
    expect((await stream.finalResponse()).output_parsed).toEqual({ capital: "Paris" });
  });

  test("with a schema shapes an answer that would have been a sentence", async () => {
    const schema = { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] };
    const format = { type: "json_schema" as const, name: "flag", schema };
    const parsed = JSON.parse(await answerTo(capital, { text: { format } }));
    expect(parsed.ok).toBeTypeOf("boolean");
  });

  test("json_object returns an object", async () => {
    const answer = await answerTo(capital, {
      text: { format: { type: "json_object" } },
      max_output_tokens: 200,
    });
    expect(answer.trimStart()).toMatch(/^\{/);
  });
});

describe("a function", () => {
  const call = {
    type: "function_call",
    status: "completed",
    id: expect.stringMatching(/^fc_\w+$/),
    call_id: expect.stringMatching(/^call_\w+$/),
    name: "get_weather",
  };

  test("is called, whole and streamed, and its output is used", async () => {
    for (const ask of [respond, streamed]) {
      const reply = await ask(weather, { tools: [weatherTool] });
      expect(reply.output).toMatchObject([call]);
      const [item] = reply.output;
      if (item?.type !== "function_call") throw new Error("no call");
      expect(JSON.parse(item.arguments)).toEqual({ city: "Paris" });
      const result = { type: "function_call_output" as const, call_id: item.call_id };
      for (const output of ["sunny", [{ type: "input_text" as const, text: "sunny" }]]) {
        const input = [{ role: "user" as const, content: weather }, item, { ...result, output }];
        const last = await ask(input, { tools: [weatherTool] });
        expect(last.output_text).toBe("The tool says: sunny");
      }
    }
  });

  test("streams its arguments to event listeners", async () => {
    const stream = client.responses.stream({ model, input: weather, tools: [weatherTool] });
    const pieces: string[] = [];
    stream.on("response.function_call_arguments.delta", ({ delta }) => pieces.push(delta));
    await stream.done();
    expect(JSON.parse(pieces.join(""))).toEqual({ city: "Paris" });
  });

  test("is not called when tool_choice is none", async () => {
    const reply = await respond(weather, { tools: [weatherTool], tool_choice: "none" });
    expect(reply.output_text).toBe("I do not know the weather in Paris.");
  });

  test.each([
    "required" as const,
    { type: "function" as const, name: "get_weather" },
    {
      type: "allowed_tools" as const,
      mode: "required" as const,
      tools: [{ type: "function", name: "get_weather" }],
    },
  ])("is called when tool_choice is %j", async (tool_choice) => {
    const other = { ...weatherTool, name: "get_time" };
    const named = typeof tool_choice === "string" ? [weatherTool] : [other, weatherTool];
    const reply = await respond("Hello!", { tools: named, tool_choice, max_output_tokens: 200 });
    expect(reply.output).toMatchObject([call]);
  });

  test("of a namespace comes back with both of its names, and its output is used", async () => {
    const namespace = {
      type: "namespace" as const,
      name: "forecast",
      description: "Weather of the next days",
      tools: [weatherTool],
    };
    for (const ask of [respond, streamed]) {
      const tools = { tools: [namespace], tool_choice: "required" as const };
      const reply = await ask(weather, { ...tools, max_output_tokens: 200 });
      expect(reply.output).toMatchObject([{ ...call, namespace: "forecast" }]);
      const [item] = reply.output;
      if (item?.type !== "function_call") throw new Error("no call");
      const result = { type: "function_call_output" as const, call_id: item.call_id };
      const input = [{ role: "user" as const, content: weather }, item];
      const last = await ask([...input, { ...result, output: "sunny" }], { tools: [namespace] });
      expect(last.output_text).toBe("The tool says: sunny");
    }
  });

  test("found by the client's search is offered after it", async () => {
    const search = {
      type: "tool_search" as const,
      execution: "client" as const,
      parameters: { type: "object", properties: { query: { enum: ["weather"] } } },
    };
    const asked = { tools: [search], tool_choice: "required" as const, max_output_tokens: 200 };
    const { output } = await respond(weather, asked);
    expect(output).toMatchObject([{ type: "tool_search_call", execution: "client" }]);
    const [item] = output;
    if (item?.type !== "tool_search_call") throw new Error("no search");
    const found = { type: "tool_search_output" as const, execution: "client" as const };
    const reply = await respond(
      [
        { role: "user", content: weather },
        item,
        { ...found, call_id: item.call_id, tools: [weatherTool] },
        { role: "user", content: weather },
      ],
      { tools: [search], tool_choice: { type: "function", name: "get_weather" } },
    );
    expect(reply.output).toMatchObject([call]);
  });

  test("with free text comes back as text", async () => {
    const tool = { type: "custom" as const, name: "write", description: "Write to the user" };
    const body = { tools: [tool], tool_choice: "required" as const, parallel_tool_calls: false };
    for (const ask of [respond, streamed]) {
      const reply = await ask(capital, { ...body, temperature: 0, max_output_tokens: 200 });
      const input = expect.stringMatching(/^[^{]+$/);
      expect(reply.output).toMatchObject([{ type: "custom_tool_call", name: "write", input }]);
    }
  });

  test("would be mistaken for another one, and is refused", async () => {
    const space = { type: "namespace", name: "a", tools: [{ type: "function", name: "b__c" }] };
    const other = { type: "namespace", name: "a__b", tools: [{ type: "function", name: "c" }] };
    const tools = [space, other] as never;
    const error = await failure(respond("Hello!", { tools }));
    expect(error).toMatchObject({ status: 400, param: "tools.1.tools.0" });
    expect(error.message).toContain('offered to the model as "a__b__c"');
  });

  test("is refused for a model without tool support", async () => {
    const error = await failure(respond(weather, { model: "toolless", tools: [weatherTool] }));
    expect(error).toMatchObject({ status: 400, param: "tools" });
    expect(error.message).toContain("toolless does not support tools");
  });
});

describe("reasoning", () => {
  test("is an item before the answer, and counted", async () => {
    for (const ask of [respond, streamed]) {
      const reply = await ask(capital, { model: "thinker" });
      expect(reply.output).toMatchObject([
        {
          id: expect.stringMatching(/^rs_\w+$/),
          type: "reasoning",
          summary: [{ type: "summary_text", text: "The capital of" }],
        },
        { type: "message", content: [{ text: "is Paris." }] },
      ]);
      const { output_tokens = 0, output_tokens_details } = reply.usage ?? {};
      expect(output_tokens_details?.reasoning_tokens).toBeGreaterThan(0);
      expect(output_tokens_details?.reasoning_tokens).toBeLessThan(output_tokens);
    }
  });

  test("is switched off and on by effort", async () => {
    const effort = async (name: "none" | "low" | "high", more: Body = {}) =>
      await answerTo(capital, { reasoning: { effort: name }, ...more });
    expect(await effort("none", { model: "thinker" })).toBe(capitalAnswer);
    expect(await effort("low", { model: "thinker" })).toBe(`Meow, ${capitalAnswer}`);
    expect(await effort("high", { model: "thinker" })).toBe("is Paris.");
    // A model without thinking ignores the setting.
    expect(await effort("high")).toBe(capitalAnswer);
  });

  test("of an earlier response is accepted", async () => {
    const first = await respond(capital, { model: "thinker" });
    const input: Input = [
      { role: "user", content: capital },
      ...(first.output as Input),
      { role: "user", content: "Hello!" },
    ];
    const body: Body = { model: "thinker", reasoning: { effort: "none" } };
    expect(await answerTo(input, body)).toBe("Hello! How can I help you today?");
  });
});

describe("invalid requests", () => {
  const refusals: Array<[string, Record<string, unknown>]> = [
    ["previous_response_id", { previous_response_id: "resp_1" }],
    ["conversation", { conversation: "conv_1" }],
    ["background", { background: true }],
    ["prompt", { prompt: { id: "pmpt_1" } }],
    ["tools.0.type", { tools: [{ type: "telepathy" }] }],
    ["tools.1.name", { tools: [weatherTool, { ...weatherTool, name: "" }] }],
    ["tool_choice", { tool_choice: "sometimes" }],
    ["tool_choice", { tool_choice: "required" }],
    ["tool_choice.type", { tool_choice: { type: "web_search" } }],
    ["tool_choice.name", { tools: [weatherTool], tool_choice: { type: "function", name: "f" } }],
    ["text.format.type", { text: { format: { type: "yaml" } } }],
    ["text.format.schema", { text: { format: { type: "json_schema", name: "a" } } }],
    ["text.format", { text: { format: { type: "json_schema", schema: { type: "tree" } } } }],
    ["reasoning.effort", { reasoning: { effort: "extreme" } }],
    ["include.0", { include: ["everything"] }],
    ["truncation", { truncation: "sometimes" }],
    ["max_output_tokens", { max_output_tokens: 0 }],
    ["temperature", { temperature: 3 }],
    ["input", { input: undefined }],
    ["input", { input: [] }],
    ["input", { input: 5 }],
    ["input.0.type", { input: [{ type: "telepathy_call", id: "t_1" }] }],
    ["input.0", { input: [{ type: "item_reference", id: "msg_1" }] }],
    ["input.0.role", { input: [{ role: "wizard", content: "Hello!" }] }],
    ["input.0.content", { input: [{ role: "user" }] }],
    ["input.0.content.0", { input: [{ role: "user", content: [{ type: "input_image" }] }] }],
    ["input.0.content.0", { input: [{ role: "user", content: [{ type: "input_file" }] }] }],
    ["input.0.arguments", { input: [{ type: "function_call", call_id: "a", name: "f" }] }],
    [
      "input.0.arguments",
      { input: [{ type: "function_call", call_id: "a", name: "f", arguments: "[1]" }] },
    ],
    ["input.0.output", { input: [{ type: "function_call_output", call_id: "a" }] }],
  ];

  test.each(refusals)("%s: %j", async (param, body) => {
    for (const stream of [false, true]) {
      const request = { model, input: "Hello!", stream, ...body } as Body;
      const error = await failure(client.responses.create(request as never));
      expect(error).toBeInstanceOf(OpenAI.BadRequestError);
      expect(error).toMatchObject({ param, type: "invalid_request_error" });
    }
  });

  test("an unknown model throws NotFoundError", async () => {
    const error = await failure(respond("Hello!", { model: "no-such-model" }));
    expect(error).toBeInstanceOf(OpenAI.NotFoundError);
    expect(error).toMatchObject({ param: "model", code: "STORE_MODEL_NOT_FOUND" });
  });

  test("an input that is too long has an error status unless truncation is allowed", async () => {
    const sentence: Input = [
      { role: "user", content: "word ".repeat(6000) },
      { role: "assistant", content: "I do not know that." },
      { role: "user", content: capital },
    ];
    for (const ask of [respond, streamed]) {
      const error = await failure(ask(sentence));
      expect(error).toMatchObject({ status: 400, code: "context_length_exceeded" });
      const cut = await ask(sentence, { truncation: "auto" });
      expect(cut.output_text).toBe(capitalAnswer);
      expect(cut).toMatchObject({ truncation: "auto", truncated: { messages: 2 } });
    }
  });
});
