// Structured output over the OpenAI-compatible API: JSON mode and schemas, with tools and thinking.
import type OpenAI from "openai";
import { LengthFinishReasonError } from "openai/error";
import { zodFunction, zodResponseFormat } from "openai/helpers/zod";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { failure, openaiClient, user, weatherTool } from "../support/openai-client.ts";
import { sharedServer } from "../support/shared-server.ts";
import type { TestServer } from "../support/test-server.ts";

let server: TestServer;
let client: OpenAI;

beforeAll(async () => {
  server = await sharedServer();
  client = openaiClient(server);
});

type Format = NonNullable<OpenAI.ChatCompletionCreateParams["response_format"]>;
type Body = Partial<OpenAI.ChatCompletionCreateParamsNonStreaming>;

const model = "tiny";
const schemaFormat = (schema: unknown): Format => ({
  type: "json_schema",
  json_schema: { name: "answer", schema: schema as Record<string, unknown> },
});

async function answerTo(content: string, response_format: Format, body: Body = {}) {
  const messages = [user(content)];
  const reply = await client.chat.completions.create({ model, messages, response_format, ...body });
  return reply.choices[0]?.message.content ?? "";
}

const Person = z.object({ name: z.string(), age: z.int().min(0).max(150) });

describe("response_format", () => {
  test.each(["Reply in JSON with the capital of France.", "Write a poem.", "Hello!"])(
    "json_object always returns an object: %s",
    async (prompt) => {
      const text = await answerTo(prompt, { type: "json_object" }, { max_tokens: 200 });
      expect(JSON.parse(text)).toEqual(expect.any(Object));
      expect(text).toMatch(/^\{/);
    },
  );

  test("json_schema is enforced whether or not the prompt asks for it", async () => {
    const schema = {
      type: "object",
      properties: { colour: { enum: ["red", "green"] }, count: { type: "integer", maximum: 9 } },
      required: ["colour", "count"],
      additionalProperties: false,
    };
    for (const prompt of ["List three colors.", "Count from 1 to 20.", "Write a long story."]) {
      for (const format of [
        schemaFormat(schema),
        // In llama-server's form.
        { type: "json_object", schema } as unknown as Format,
      ]) {
        const answer = JSON.parse(await answerTo(prompt, format));
        expect(Object.keys(answer)).toEqual(["colour", "count"]);
        expect(["red", "green"]).toContain(answer.colour);
        expect(Number.isInteger(answer.count) && answer.count <= 9).toBe(true);
      }
    }
  });

  test("text, or no format, leaves the answer free", async () => {
    expect(await answerTo("Hello!", { type: "text" })).toBe("Hello! How can I help you today?");
  });

  test("is parsed with zod", async () => {
    const reply = await client.chat.completions.parse({
      model,
      messages: [user("Reply in JSON with name Bob and age 5.")],
      response_format: zodResponseFormat(Person, "person"),
    });
    expect(reply.choices[0]?.message.parsed).toEqual({ name: "Bob", age: 5 });
  });

  test("is parsed with zod from a stream", async () => {
    const stream = client.chat.completions.stream({
      model,
      messages: [user("Reply in JSON with name Bob and age 5.")],
      response_format: zodResponseFormat(Person, "person"),
    });
    let last: unknown;
    stream.on("content.delta", ({ parsed }) => {
      last = parsed;
    });
    const reply = await stream.finalChatCompletion();
    expect(reply.choices[0]?.message.parsed).toEqual({ name: "Bob", age: 5 });
    expect(last).toEqual({ name: "Bob", age: 5 });
  });

  test("cut by the token limit makes the library throw its length error", async () => {
    const cut = client.chat.completions.parse({
      model,
      max_tokens: 3,
      messages: [user("Reply in JSON with name Bob and age 5.")],
      response_format: zodResponseFormat(Person, "person"),
    });
    await expect(cut).rejects.toBeInstanceOf(LengthFinishReasonError);
  });

  test("of tool arguments is parsed with zod", async () => {
    const reply = await client.chat.completions.parse({
      model,
      messages: [user("What is the weather in Paris?")],
      tools: [zodFunction({ name: "get_weather", parameters: z.object({ city: z.string() }) })],
    });
    const [call] = reply.choices[0]?.message.tool_calls ?? [];
    expect(call).toMatchObject({ function: { parsed_arguments: { city: "Paris" } } });
  });

  test("allows a tool call instead", async () => {
    const body = {
      model,
      tools: [weatherTool],
      response_format: schemaFormat({ type: "object", properties: { n: { type: "integer" } } }),
    };
    const call = await client.chat.completions.create({
      ...body,
      messages: [user("What is the weather in Paris?")],
    });
    expect(call.choices[0]).toMatchObject({
      message: { tool_calls: [{ function: { name: "get_weather" } }] },
      finish_reason: "tool_calls",
    });
  });
});

describe("response_format with thinking", () => {
  const schema = {
    type: "object",
    properties: { capital: { type: "string", maxLength: 20 } },
    required: ["capital"],
    additionalProperties: false,
  };
  const rows = [undefined, true, false, "low"].flatMap((think) =>
    [false, true].flatMap((isStreamed) =>
      [schemaFormat(schema), { type: "json_object" } as Format].map((format) => ({
        think,
        isStreamed,
        format,
      })),
    ),
  );

  test.each(rows)(
    "think $think, stream $isStreamed, $format.type: the answer is JSON, thinking is free",
    async ({ think, isStreamed, format }) => {
      const body = {
        model: "thinker",
        // The thinker thinks up to the word France.
        messages: [user("What is the capital of France?")],
        response_format: format,
        max_tokens: 300,
        think,
      };
      const { message, finish_reason } = isStreamed
        ? ((await client.chat.completions.stream(body).finalChatCompletion()).choices[0] ?? {})
        : ((await client.chat.completions.create(body)).choices[0] ?? {});
      const content = message?.content ?? "";
      // Without a schema the tiny model may never finish at a level that it was not trained for.
      if (think === "low" && finish_reason === "length") expect(content).toMatch(/^\{\s*"/);
      else expect(JSON.parse(content)).toEqual(expect.any(Object));
      expect(message).not.toMatchObject({ content: expect.stringMatching(/Arr|Meow/) });
    },
  );
});

describe("an unusable schema", () => {
  test.each([
    ["of an unknown type", { properties: { a: { type: "strin" } } }, "/properties/a/type"],
    ["with a broken reference", { $ref: "#/$defs/nobody" }, "nobody"],
    ["with a broken pattern", { properties: { a: { type: "string", pattern: "(" } } }, "pattern"],
  ])("%s is refused with its position before anything is loaded", async (_what, schema, place) => {
    const error = await failure(answerTo("Hello!", schemaFormat({ type: "object", ...schema })));
    expect(error).toMatchObject({
      status: 400,
      type: "invalid_request_error",
      param: "response_format",
    });
    expect(error.message).toContain(place);
  });

  test.each(["auto", "required"] as const)(
    "of a tool with `not` is refused under %s, naming the keyword",
    async (choice) => {
      const a = { type: "string", not: { const: "Rome" } };
      const parameters = { type: "object", properties: { a } };
      const error = await failure(
        client.chat.completions.create({
          model,
          messages: [user("Hello!")],
          tools: [{ type: "function", function: { name: "f", parameters } }],
          tool_choice: choice,
        }),
      );
      expect(error).toMatchObject({ status: 400, code: "PROMPT_SCHEMA_UNSUPPORTED" });
      expect(error.message).toContain('tool "f" cannot be enforced at /properties/a/not');
    },
  );

  test("of a required tool is reported as the tool's", async () => {
    const error = await failure(
      client.chat.completions.create({
        model,
        messages: [user("Hello!")],
        tools: [{ type: "function", function: { name: "f", parameters: { required: 1 } } }],
        tool_choice: "required",
      }),
    );
    expect(error).toMatchObject({ status: 400, code: "PROMPT_SCHEMA_INVALID", param: "tools" });
  });

  test.each([
    ["that is invalid", schemaFormat("text"), "response_format.json_schema.schema"],
    ["that is missing", { type: "json_schema" } as Format, "response_format.json_schema.schema"],
    ["of another kind", { type: "grammar" } as unknown as Format, "response_format.type"],
  ])("%s is refused", async (_what, format, param) => {
    const error = await failure(answerTo("Hello!", format));
    expect(error).toMatchObject({ status: 400, type: "invalid_request_error", param });
  });
});
