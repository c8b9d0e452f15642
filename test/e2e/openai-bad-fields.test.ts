// Thousands of invalid bodies: each is answered or refused in OpenAI's shape, and the server keeps working.
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { CompletionBody } from "../../source/server/routes/openai/completion-prompts.ts";
import { EmbeddingBody } from "../../source/server/routes/openai/embeddings.ts";
import { ChatCompletionBody } from "../../source/server/routes/openai/schema.ts";
import { dataOf, type OpenaiError, weatherTool } from "../support/openai-client.ts";
import { proofCases, proofRounds } from "../support/proof.ts";
import { sharedServer } from "../support/shared-server.ts";
import type { Reply, TestServer } from "../support/test-server.ts";

let server: TestServer;
let cases = 0;

beforeAll(async () => {
  server = await sharedServer();
});

interface Route {
  path: string;
  /** Valid body with a short answer. */
  base: Record<string, unknown>;
  fields: string[];
  /** Places inside fields, each with its own key. */
  inner: Array<[place: string, put: (value: unknown) => Record<string, unknown>]>;
}

const model = "tiny";
const call = { id: "call_1", type: "function", function: { name: "f", arguments: "{}" } };
const question = { role: "user", content: "Hello!" };

/** Bodies whose `name` is an object with one key changed. */
function within(
  name: string,
  object: Record<string, unknown>,
  keys: readonly string[],
  wrap: (object: unknown) => unknown = (whole) => whole,
): Route["inner"] {
  return keys.map((key) => [
    `${name}.${key}`,
    (value) => ({ [name.split(".")[0] ?? ""]: wrap({ ...object, [key]: value }) }),
  ]);
}

const { function: weather } = weatherTool;
const schema = { type: "object", properties: { a: { type: "string", maxLength: 3 } } };

const chat: Route = {
  path: "/v1/chat/completions",
  base: { model, messages: [question], max_tokens: 1 },
  fields: Object.keys(ChatCompletionBody.properties),
  inner: [
    ...within("stream_options", {}, ["include_usage", "include_obfuscation"]),
    ...within(
      "messages",
      question,
      ["role", "content", "name", "tool_calls", "tool_call_id", "refusal"],
      (message) => [message],
    ),
    ...within(
      "messages",
      { role: "assistant", content: "a" },
      ["content", "reasoning", "reasoning_content", "function_call", "audio", "tool_calls"],
      (message) => [question, message, question],
    ),
    ...within("messages.content", { type: "text", text: "a" }, ["type", "text"], (part) => [
      { role: "user", content: [part] },
    ]),
    ...within(
      "messages.image",
      { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
      ["image_url"],
      (part) => [{ role: "user", content: [part] }],
    ),
    ...within("messages.call", call, ["id", "type", "function"], (changed) => [
      question,
      { role: "assistant", tool_calls: [changed] },
    ]),
    ...within("messages.call.function", call.function, ["name", "arguments"], (changed) => [
      question,
      { role: "assistant", tool_calls: [{ ...call, function: changed }] },
    ]),
    ...within("tools", weatherTool, ["type", "function"], (tool) => [tool]),
    ...within("tools.function", weather, ["name", "description", "parameters", "strict"], (f) => [
      { type: "function", function: f },
    ]),
    ...within("tool_choice", { type: "function", function: { name: "get_weather" } }, [
      "type",
      "function",
    ]),
    ...within("response_format", { type: "json_object", schema }, ["type", "schema"]),
    ...within("response_format", { type: "json_schema", json_schema: { schema } }, [
      "type",
      "json_schema",
    ]),
    ...within(
      "response_format.json_schema",
      { name: "a", schema },
      ["name", "schema", "strict", "description"],
      (json_schema) => ({ type: "json_schema", json_schema }),
    ),
    ...within(
      "response_format.schema",
      schema,
      ["type", "properties", "required", "$ref"],
      (s) => ({
        type: "json_schema",
        json_schema: { name: "a", schema: s },
      }),
    ),
    ...within("reasoning", {}, ["effort"]),
    ...within("logit_bias", {}, ["5", "-1", "a", "99999999"]),
  ],
};

const completions: Route = {
  path: "/v1/completions",
  base: { model, prompt: "Hello!", max_tokens: 1 },
  fields: Object.keys(CompletionBody.properties),
  inner: [
    ["prompt.0", (value) => ({ prompt: [value] })],
    ["prompt.1", (value) => ({ prompt: ["a", value] })],
    ["stop.0", (value) => ({ stop: [value] })],
    ...within("stream_options", {}, ["include_usage"]),
  ],
};

const embeddings: Route = {
  path: "/v1/embeddings",
  base: { model, input: "Hello!" },
  fields: Object.keys(EmbeddingBody.properties),
  inner: [
    ["input.0", (value) => ({ input: [value] })],
    ["input.1", (value) => ({ input: ["a", value] })],
  ],
};

const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);

/** Values of each type and edge case; some are valid in some places. */
const values: readonly unknown[] = [
  null,
  true,
  -1,
  0.5,
  2 ** 53,
  "",
  "a",
  "\ud800",
  [],
  ["a"],
  [null],
  {},
  nested(300),
];
/** Only the proof tries them in each place; the suite draws some of them at random. */
const moreValues: readonly unknown[] = [
  false,
  0,
  -1e308,
  "1",
  "\u0000",
  "<|im_end|>",
  "😀".repeat(300),
  [1],
  [[1]],
  { a: 1 },
  { type: "text", text: 1 },
];

const types: Record<number, string> = { 400: "invalid_request_error", 404: "not_found_error" };

/** Checks that a body is answered or refused in OpenAI's shape. */
function check(reply: Reply, what: string): void {
  cases += 1;
  expect([what, reply.status]).toEqual([what, expect.toSatisfy((status: number) => status < 500)]);
  if (reply.status === 200) {
    if (reply.json !== undefined) return;
    expect([what, dataOf(reply.text).at(-1)]).toEqual([what, "[DONE]"]);
    return;
  }
  expect(reply.headers.get("content-type")).toMatch(/^application\/json/);
  expect([what, reply.json]).toEqual([
    what,
    {
      error: {
        message: expect.stringMatching(/^\S.*\S$/s),
        type: types[reply.status] ?? "api_error",
        param: expect.stringMatching(/./),
        code: expect.stringMatching(/^(SERVER|STORE|ENGINE|PROMPT)_[A-Z_]+$/),
      },
    },
  ]);
  expect((reply.json as OpenaiError).error.message.length).toBeLessThan(1000);
}

const routes = [chat, completions, embeddings];

describe.each(routes)("$path", ({ path, base, fields, inner }) => {
  const places: Route["inner"] = [
    ...fields.map((field): Route["inner"][number] => [field, (value) => ({ [field]: value })]),
    ...inner,
  ];

  test.each(places)("answers or refuses every type in %s", async (place, put) => {
    // At once: the server works on the next while a model answers.
    const asked = proofCases(values, moreValues).map(async (value) => ({
      value,
      reply: await server.post(path, { ...base, ...put(value) }),
    }));
    for (const { value, reply } of await Promise.all(asked)) {
      check(reply, `${place}: ${JSON.stringify(value).slice(0, 60)}`);
      if (reply.status !== 400) continue;
      // A refusal names the field, or a related one.
      const { param } = (reply.json as OpenaiError).error;
      expect([place, fields]).toEqual([
        place,
        expect.arrayContaining([(param ?? "").split(".")[0]]),
      ]);
    }
  });

  test("answers or refuses any combination of fields", async () => {
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 4 }),
      fc.constantFrom(...values, ...moreValues),
    );
    const change = fc.tuple(fc.constantFrom(...places), value);
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
        const body = Object.assign({}, base, ...changes.map(([[, put], given]) => put(given)));
        // Without a limit an answer may fill the window, which takes a quarter of a minute.
        if ("max_tokens" in body) body.max_tokens ??= 8;
        check(await server.post(path, body), JSON.stringify(body).slice(0, 300));
      }),
      // Reports a request that is never answered with its body.
      { numRuns: proofRounds(400), timeout: 30_000, endOnFailure: true },
    );
  });
});

test("thousands of cases were tried and the server still answers", async () => {
  expect(cases).toBeGreaterThan(1500);
  expect(await server.ask("What is 2 + 3?")).toBe("2 + 3 = 5");
  await server.untilQuiet();
  expect(server.log.filter((line) => /UNEXPECTED|Error: /.test(line))).toEqual([]);
});
