// Anthropic's Messages API with Anthropic's own client library.
import Anthropic from "@anthropic-ai/sdk";
import { zodOutputFormat } from "@anthropic-ai/sdk/helpers/zod";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { apiPairs, messagesOf } from "../support/pairs.ts";
import { sharedServer, sharedSmallServer } from "../support/shared-server.ts";
import type { TestServer } from "../support/test-server.ts";

let server: TestServer;
let client: Anthropic;

beforeAll(async () => {
  server = await sharedServer();
  client = new Anthropic({ baseURL: server.url, apiKey: "anything", maxRetries: 0 });
});

type Body = Partial<Anthropic.MessageCreateParamsNonStreaming>;
type Messages = Anthropic.MessageParam[];

const model = "tiny";
const capital = "What is the capital of France?";
const capitalAnswer = "The capital of France is Paris.";
const weather = "What is the weather in Paris?";
const weatherTool: Anthropic.Tool = {
  name: "get_weather",
  description: "Get the weather in a city",
  input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

const user = (content: string): Messages => [{ role: "user", content }];

async function create(messages: Messages, body: Body = {}) {
  return await client.messages.create({ model, max_tokens: 1000, messages, ...body });
}

/** Message as assembled by the stream helper. */
async function streamed(messages: Messages, body: Body = {}) {
  const { stream: _whole, ...rest } = body;
  return await client.messages
    .stream({ model, max_tokens: 1000, messages, ...rest })
    .finalMessage();
}

const textOf = ({ content }: Anthropic.Message) =>
  content.map((block) => (block.type === "text" ? block.text : "")).join("");

async function failure(
  request: Promise<unknown>,
): Promise<InstanceType<typeof Anthropic.APIError>> {
  const error = await request.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof Anthropic.APIError) return error;
  throw new Error(`no API error, but ${String(error)}`);
}

describe("the model's recorded answers", () => {
  test.each(apiPairs.map((pair) => ({ title: pair.turns.at(-1)?.[1], pair })))(
    "$title",
    async ({ pair }) => {
      const messages = messagesOf(pair).filter(({ role }) => role !== "system") as Messages;
      const body: Body = pair.system ? { system: pair.system } : {};
      const whole = await create(messages, body);
      expect(whole).toMatchObject({
        content: [{ type: "text", text: pair.expect }],
        stop_reason: "end_turn",
      });
      expect(textOf(await streamed(messages, body))).toBe(pair.expect);
    },
  );
});

describe("messages", () => {
  test("accept content as text or blocks, also for the system prompt", async () => {
    const parts: Anthropic.TextBlockParam[] = [
      { type: "text", text: "What is the capital " },
      { type: "text", text: "of France?", cache_control: { type: "ephemeral" } },
    ];
    for (const content of [capital, parts]) {
      const messages: Messages = [{ role: "user", content }];
      expect(textOf(await create(messages))).toBe(capitalAnswer);
      for (const system of [
        "You are a pirate.",
        [{ type: "text" as const, text: "You are a pirate." }],
      ]) {
        expect(textOf(await create(messages, { system }))).toBe(`Arr, ${capitalAnswer}`);
      }
    }
  });

  test("continue after an answer that is sent back unchanged", async () => {
    const { role, content } = await create(user("My name is Bob."));
    const messages: Messages = [
      ...user("My name is Bob."),
      { role, content: content as Anthropic.ContentBlockParam[] },
      ...user("What is my name?"),
    ];
    expect(textOf(await create(messages))).toBe("Your name is Bob.");
  });

  test("are continued when the last one is the assistant's", async () => {
    const messages: Messages = [...user(capital), { role: "assistant", content: "The capital of" }];
    expect(textOf(await create(messages))).toBe(" France is Paris.");
  });
});

describe("a message", () => {
  test("has its own id and the requested model name", async () => {
    const replies = [await create(user("Hello!")), await create(user("Hello!"), { model: "TINY" })];
    expect(replies).toMatchObject([
      { type: "message", role: "assistant", model: "tiny", stop_sequence: null },
      { type: "message", role: "assistant", model: "TINY", stop_sequence: null },
    ]);
    for (const { id } of replies) expect(id).toMatch(/^msg_\w+$/);
    expect(new Set(replies.map(({ id }) => id)).size).toBe(2);
  });

  test("counts its tokens, with cached prompt tokens apart", async () => {
    const phrase = "Repeat after me: seven green apple stone";
    const native = await server.post("/api/generate", { model, prompt: phrase, stream: false });
    const { prompt_eval_count, eval_count } = native.json as Record<string, number>;
    for (const { usage } of [await create(user(phrase)), await streamed(user(phrase))]) {
      expect(usage.cache_read_input_tokens).toBeGreaterThan(0);
      expect(usage.input_tokens + (usage.cache_read_input_tokens ?? 0)).toBe(prompt_eval_count);
      expect(usage.output_tokens).toBe(eval_count);
    }
  });

  test("stops at max_tokens and reports it", async () => {
    for (const ask of [create, streamed]) {
      const reply = await ask(user(capital), { max_tokens: 3 });
      expect(reply).toMatchObject({ stop_reason: "max_tokens", usage: { output_tokens: 3 } });
      expect(capitalAnswer.startsWith(textOf(reply))).toBe(true);
    }
  });

  test("stops at a stop sequence and names it", async () => {
    for (const ask of [create, streamed]) {
      const reply = await ask(user(capital), { stop_sequences: ["never said", " is"] });
      expect(reply).toMatchObject({ stop_reason: "stop_sequence", stop_sequence: " is" });
      expect(textOf(reply)).toBe("The capital of France");
    }
  });

  test("reports that it filled the context window", async () => {
    const small = await sharedSmallServer();
    const { json } = await small.post("/v1/messages", {
      model,
      max_tokens: 1000,
      messages: user("Write a long story."),
      options: { temperature: 0, frequency_penalty: -2 },
    });
    expect(json).toMatchObject({ stop_reason: "model_context_window_exceeded" });
  });

  test("follows the sampling settings", async () => {
    const wild = { temperature: 1, top_p: 1, max_tokens: 30 };
    const question = user("Who invented the rocket?");
    const cold = await create(question, { ...wild, top_k: 1 } as Body);
    for (const setting of [{ temperature: 0 }, { top_p: 0 }, { top_k: 1 }]) {
      expect(textOf(await create(question, { ...wild, ...setting } as Body))).toBe(textOf(cold));
    }
  });

  test("is parsed when a schema is given", async () => {
    const format = zodOutputFormat(z.object({ capital: z.string() }));
    const reply = await client.messages.parse({
      model,
      max_tokens: 200,
      messages: user("Reply in JSON with the capital of France."),
      output_config: { format },
    });
    expect(reply.parsed_output).toEqual({ capital: "Paris" });
  });
});

describe("a tool", () => {
  const use = {
    type: "tool_use",
    id: expect.stringMatching(/^\w+$/),
    name: "get_weather",
    input: { city: "Paris" },
  };

  test("is called, whole and streamed, and its result is used", async () => {
    for (const ask of [create, streamed]) {
      const reply = await ask(user(weather), { tools: [weatherTool] });
      expect(reply).toMatchObject({ content: [use], stop_reason: "tool_use" });
      const [block] = reply.content;
      if (block?.type !== "tool_use") throw new Error("no use of a tool");
      const answerTo = async (
        result: Omit<Anthropic.ToolResultBlockParam, "type" | "tool_use_id">,
      ) =>
        textOf(
          await ask(
            [
              ...user(weather),
              { role: "assistant", content: reply.content as Anthropic.ContentBlockParam[] },
              {
                role: "user",
                content: [{ type: "tool_result", tool_use_id: block.id, ...result }],
              },
            ],
            { tools: [weatherTool] },
          ),
        );
      expect(await answerTo({ content: "sunny" })).toBe("The tool says: sunny");
      const blocks = [{ type: "text" as const, text: "sunny" }];
      expect(await answerTo({ content: blocks })).toBe("The tool says: sunny");
    }
  });

  test("streams its input to event listeners", async () => {
    const stream = client.messages.stream({
      model,
      max_tokens: 200,
      messages: user(weather),
      tools: [weatherTool],
    });
    let json = "";
    stream.on("inputJson", (piece) => {
      json += piece;
    });
    await stream.done();
    expect(JSON.parse(json)).toEqual({ city: "Paris" });
  });

  test("is not called when tool_choice is none", async () => {
    const body: Body = { tools: [weatherTool], tool_choice: { type: "none" } };
    expect(textOf(await create(user(weather), body))).toBe("I do not know the weather in Paris.");
  });

  test.each<Anthropic.ToolChoice>([
    { type: "any" },
    { type: "any", disable_parallel_tool_use: true },
    { type: "tool", name: "get_weather" },
  ])("is called when tool_choice is %j", async (tool_choice) => {
    const reply = await create(user("Hello!"), { tools: [weatherTool], tool_choice });
    const uses = reply.content.filter(({ type }) => type === "tool_use");
    expect(uses).toMatchObject([{ name: "get_weather" }]);
    expect(reply.stop_reason).toBe("tool_use");
  });
});

describe("thinking", () => {
  const enabled = { type: "enabled" as const, budget_tokens: 1024 };

  test("is a block before the answer", async () => {
    for (const thinking of [enabled, { type: "adaptive" as const }]) {
      for (const ask of [create, streamed]) {
        const reply = await ask(user(capital), { model: "thinker", thinking });
        expect(reply.content).toMatchObject([
          { type: "thinking", thinking: "The capital of", signature: "" },
          { type: "text", text: "is Paris." },
        ]);
        expect(reply.usage.output_tokens).toBeGreaterThan(0);
      }
    }
  });

  test("is switched off and set by effort", async () => {
    const off = await create(user(capital), { model: "thinker", thinking: { type: "disabled" } });
    expect(textOf(off)).toBe(capitalAnswer);
    const low = await create(user(capital), { model: "thinker", output_config: { effort: "low" } });
    expect(textOf(low)).toBe(`Meow, ${capitalAnswer}`);
  });

  test("is ignored by a model that cannot think", async () => {
    expect(textOf(await create(user(capital), { thinking: enabled }))).toBe(capitalAnswer);
  });

  test("from an earlier message is accepted", async () => {
    const { content } = await create(user(capital), { model: "thinker", thinking: enabled });
    const messages: Messages = [
      ...user(capital),
      { role: "assistant", content: content as Anthropic.ContentBlockParam[] },
      ...user("Hello!"),
    ];
    const body: Body = { model: "thinker", thinking: { type: "disabled" } };
    expect(textOf(await create(messages, body))).toBe("Hello! How can I help you today?");
  });
});

describe("count_tokens", () => {
  const bodies: Array<[string, Body]> = [
    ["a question", {}],
    ["a system prompt", { system: "You are a pirate." }],
    ["tools", { tools: [weatherTool] }],
    ["tools that are not to be used", { tools: [weatherTool], tool_choice: { type: "none" } }],
    ["thinking", { model: "thinker" }],
  ];

  test.each(bodies)("with %s equals the count of the message", async (_what, body) => {
    const { max_tokens: _limit, stream: _stream, ...rest } = body;
    const counted = await client.messages.countTokens({ model, messages: user(weather), ...rest });
    const { usage } = await create(user(weather), body);
    expect(counted.input_tokens).toBe(usage.input_tokens + (usage.cache_read_input_tokens ?? 0));
  });

  test("of a prompt longer than the window returns its length", async () => {
    const messages = user("word ".repeat(6000));
    const { input_tokens } = await client.messages.countTokens({ model, messages });
    const error = await failure(create(messages));
    expect(error.message).toContain(`is ${input_tokens} tokens long`);
  });
});

describe("an error", () => {
  test("has the type of its status, a code and the request id", async () => {
    const notFound = await failure(create(user("Hello!"), { model: "no-such-model" }));
    expect(notFound).toBeInstanceOf(Anthropic.NotFoundError);
    expect(notFound).toMatchObject({ type: "not_found_error" });
    expect(notFound.message).toContain("model 'no-such-model' not found");
    const refused = await failure(create(user("Hello!"), { model: "/etc/hostname.gguf" }));
    expect(refused).toBeInstanceOf(Anthropic.PermissionDeniedError);
    expect(refused).toMatchObject({
      type: "permission_error",
      errorCode: "STORE_FILE_NOT_ALLOWED",
    });
    const last = (await server.requests()).findLast(({ path }) => path === "/v1/messages");
    expect(refused.requestID).toBe(last?.id);
    expect(refused.error).toMatchObject({ type: "error", request_id: last?.id });
  });

  test("of a stream has an HTTP status until the first event is sent", async () => {
    const error = await failure(streamed(user("word ".repeat(6000))));
    expect(error).toBeInstanceOf(Anthropic.BadRequestError);
    expect(error.message).toMatch(/\d{4,} tokens .* 4096/);
  });

  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "" } };
  const refusals: Array<[string, Record<string, unknown>]> = [
    ["max_tokens is required", { max_tokens: undefined }],
    ["max_tokens", { max_tokens: 0 }],
    ["messages is required", { messages: undefined }],
    ["at least one message", { messages: [] }],
    ["messages.0.role", { messages: [{ role: "wizard", content: "Hello!" }] }],
    ["messages.0.content is required", { messages: [{ role: "user" }] }],
    ["does not support images", { messages: [{ role: "user", content: [image] }] }],
    ["messages.0.content.0", { messages: [{ role: "user", content: [{ type: "document" }] }] }],
    [
      "messages.0.content.0.type",
      { messages: [{ role: "user", content: [{ type: "tool_use" }] }] },
    ],
    [
      "messages.0.content.0.input",
      { messages: [{ role: "assistant", content: [{ type: "tool_use", id: "a", name: "f" }] }] },
    ],
    [
      "does not support images",
      {
        messages: [
          { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: [image] }] },
        ],
      },
    ],
    ["system.0", { system: [image] }],
    ["tools.0.type", { tools: [{ type: "telepathy_20260318", name: "telepathy" }] }],
    [
      "only Anthropic can run",
      {
        tools: [{ type: "web_search_20260318", name: "web_search" }],
        tool_choice: { type: "tool", name: "web_search" },
      },
    ],
    ["compaction", { compaction: { type: "auto" } }],
    ["thread", { thread: { type: "create" } }],
    ["tools.0.input_schema is required", { tools: [{ name: "f" }] }],
    ["tool_choice.type", { tool_choice: { type: "any" } }],
    ["tool_choice.name", { tools: [weatherTool], tool_choice: { type: "tool", name: "f" } }],
    ["thinking.type", { thinking: { type: "sometimes" } }],
    ["output_config.format.type", { output_config: { format: { type: "yaml" } } }],
    ["output_config.effort", { output_config: { effort: "extreme" } }],
    ["stop_sequences", { stop_sequences: [""] }],
    ["temperature", { temperature: -1 }],
    ["toolless does not support tools", { model: "toolless", tools: [weatherTool] }],
  ];

  test.each(refusals)("explains: %s", async (says, body) => {
    for (const stream of [false, true]) {
      const request = { model, max_tokens: 10, messages: user("Hello!"), stream, ...body };
      const error = await failure(client.messages.create(request as never));
      expect(error).toBeInstanceOf(Anthropic.BadRequestError);
      expect(error).toMatchObject({ type: "invalid_request_error" });
      expect(error.message).toContain(says);
    }
  });
});
