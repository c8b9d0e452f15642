// Fields of /v1/responses and /v1/messages with values of every wrong kind: refused with an explanation in
// the API's shape, and the server keeps working.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isProof, proofRounds } from "../support/proof.ts";
import { sharedServer } from "../support/shared-server.ts";
import type { TestServer } from "../support/test-server.ts";
import { anyValue, type Kind, valueOtherThan, withValueAt } from "../support/wrong-values.ts";

let server: TestServer;

beforeAll(async () => {
  server = await sharedServer();
});
afterAll(async () => {
  await server.untilQuiet();
  expect(await server.ask("What is 2 + 3?")).toBe("2 + 3 = 5");
});

const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const options = { num_ctx: 512 };

interface Api {
  /** A body with all fields. */
  body: Record<string, unknown>;
  /** Kinds of value that each field accepts; null means "not given" for optional ones. */
  fields: Record<string, Kind[]>;
}

const common: Record<string, Kind[]> = {
  model: ["string"],
  tools: ["array", "null"],
  "tools.0": ["object"],
  "tools.0.name": ["string"],
  "tools.0.description": ["string", "null"],
  "tool_choice.type": ["string"],
  "tool_choice.name": ["string"],
  keep_alive: ["string", "number", "null"],
  options: ["object", "null"],
  "options.num_ctx": ["number", "null"],
};

const ofAnswers: Record<string, Kind[]> = {
  stream: ["boolean", "null"],
  temperature: ["number", "null"],
  top_p: ["number", "null"],
};

const responses: Api = {
  body: {
    model: "tiny",
    input: [
      { type: "message", role: "user", content: [{ type: "input_text", text: "Hello!" }] },
      {
        type: "reasoning",
        content: [{ type: "reasoning_text", text: "Hm." }],
        summary: [{ type: "summary_text", text: "Hm." }],
      },
      { type: "function_call", call_id: "call_1", name: "f", arguments: "{}" },
      {
        type: "function_call_output",
        call_id: "call_1",
        output: [{ type: "input_text", text: "Hello!" }],
      },
    ],
    instructions: "Be short.",
    stream: false,
    max_output_tokens: 1,
    temperature: 0,
    top_p: 1,
    top_logprobs: 0,
    include: ["message.output_text.logprobs"],
    tools: [{ type: "function", name: "f", description: "A function.", parameters: schema }],
    tool_choice: { type: "function", name: "f" },
    parallel_tool_calls: true,
    max_tool_calls: 1,
    reasoning: { effort: "none", summary: "auto" },
    text: { format: { type: "json_schema", name: "city", schema }, verbosity: "medium" },
    truncation: "disabled",
    metadata: { purpose: "test" },
    options,
    think: false,
  },
  fields: {
    ...common,
    ...ofAnswers,
    input: ["string", "array"],
    "input.0": ["object"],
    "input.0.type": ["string", "null"],
    "input.0.role": ["string"],
    "input.0.content": ["string", "array"],
    "input.0.content.0": ["object"],
    "input.0.content.0.type": ["string"],
    "input.0.content.0.text": ["string"],
    "input.1.type": ["string"],
    "input.1.content": ["array", "null"],
    "input.1.content.0": ["object"],
    "input.1.content.0.text": ["string"],
    "input.1.summary": ["array", "null"],
    "input.1.summary.0": ["object"],
    "input.1.summary.0.text": ["string"],
    "input.2.call_id": ["string"],
    "input.2.name": ["string"],
    // None of the texts is JSON of an object either.
    "input.2.arguments": [],
    "input.3.call_id": ["string"],
    "input.3.output": ["string", "array"],
    "input.3.output.0": ["object"],
    "input.3.output.0.text": ["string"],
    instructions: ["string", "null"],
    max_output_tokens: ["number", "null"],
    top_logprobs: ["number", "null"],
    include: ["array", "null"],
    "include.0": [],
    "tools.0.type": [],
    "tools.0.parameters": ["object", "null"],
    tool_choice: ["object", "null"],
    parallel_tool_calls: ["boolean", "null"],
    max_tool_calls: ["number", "null"],
    reasoning: ["object", "null"],
    "reasoning.effort": ["null"],
    "reasoning.summary": ["string", "null"],
    text: ["object", "null"],
    "text.format": ["object", "null"],
    "text.format.type": [],
    "text.format.schema": ["object"],
    "text.verbosity": ["string", "null"],
    truncation: ["null"],
    metadata: ["object", "null"],
    "metadata.purpose": ["string"],
    think: ["boolean", "null"],
  },
};

const counted: Api = {
  body: {
    model: "tiny",
    messages: [
      { role: "user", content: [{ type: "text", text: "Hello!" }] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Hm.", signature: "" },
          { type: "tool_use", id: "toolu_1", name: "f", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "toolu_1",
            content: [{ type: "text", text: "Hello!" }],
            is_error: false,
          },
        ],
      },
    ],
    system: [{ type: "text", text: "Be short." }],
    tools: [{ name: "f", description: "A function.", input_schema: schema }],
    tool_choice: { type: "tool", name: "f", disable_parallel_tool_use: true },
    thinking: { type: "enabled", budget_tokens: 1024 },
    output_config: { effort: "low", format: { type: "json_schema", schema } },
    options,
  },
  fields: {
    ...common,
    messages: ["array"],
    "messages.0": ["object"],
    "messages.0.role": [],
    "messages.0.content": ["string", "array"],
    "messages.0.content.0": ["object"],
    "messages.0.content.0.type": [],
    "messages.0.content.0.text": ["string"],
    "messages.1.content.0.thinking": ["string"],
    "messages.1.content.1.id": ["string"],
    "messages.1.content.1.name": ["string"],
    "messages.1.content.1.input": ["object"],
    "messages.2.content.0.tool_use_id": ["string"],
    "messages.2.content.0.content": ["string", "array", "null"],
    "messages.2.content.0.content.0": ["object"],
    "messages.2.content.0.content.0.text": ["string"],
    "messages.2.content.0.is_error": ["boolean", "null"],
    system: ["string", "array", "null"],
    "system.0": ["object"],
    "system.0.text": ["string"],
    "tools.0.type": ["null"],
    "tools.0.input_schema": ["object"],
    tool_choice: ["object", "null"],
    "tool_choice.disable_parallel_tool_use": ["boolean", "null"],
    thinking: ["object", "null"],
    "thinking.type": [],
    output_config: ["object", "null"],
    "output_config.effort": ["null"],
    "output_config.format": ["object", "null"],
    "output_config.format.type": [],
    "output_config.format.schema": ["object"],
    container: ["string", "object", "null"],
    mcp_servers: ["array", "null"],
  },
};
const messages: Api = {
  body: {
    ...counted.body,
    max_tokens: 1,
    stream: false,
    temperature: 0,
    top_p: 1,
    top_k: 1,
    stop_sequences: ["x"],
  },
  fields: {
    ...counted.fields,
    ...ofAnswers,
    max_tokens: ["number"],
    top_k: ["number", "null"],
    stop_sequences: ["array", "null"],
    "stop_sequences.0": ["string"],
  },
};

const apis: Record<string, Api> = {
  "/v1/responses": responses,
  "/v1/messages": messages,
  "/v1/messages/count_tokens": counted,
};

/** @returns the field and the message of an error */
function expectShape(
  route: string,
  status: number,
  json: unknown,
): { param: unknown; says: string } {
  expect(status).toBeGreaterThanOrEqual(400);
  expect(status).toBeLessThan(500);
  const message = expect.stringMatching(/./);
  if (route !== "/v1/responses") {
    expect(json).toEqual({
      type: "error",
      error: { type: expect.stringMatching(/_error$/), message, details: expect.anything() },
      request_id: expect.stringMatching(/./),
    });
    return { param: undefined, says: (json as { error: { message: string } }).error.message };
  }
  expect(json).toEqual({
    error: {
      message,
      type: expect.stringMatching(/_error$/),
      param: expect.toSatisfy((param) => param === null || typeof param === "string"),
      code: expect.stringMatching(/./),
    },
  });
  const { error } = json as { error: { message: string; param: unknown } };
  return { param: error.param, says: error.message };
}

/** Attempts for each field, and at random bodies of each route. */
const tries = isProof ? 10 : 5;
const randomTries = proofRounds(600);

describe.each(Object.entries(apis))("%s", (route, { body, fields }) => {
  test("accepts the body with all its fields", async () => {
    expect(await server.post(route, body)).toMatchObject({ status: 200 });
  });

  test.each(Object.entries(fields))("refuses %s unless it is one of %j", async (path, right) => {
    await fc.assert(
      fc.asyncProperty(valueOtherThan(right), async (value) => {
        const { status, json } = await server.post(route, withValueAt(body, path, value));
        expect(status).toBe(400);
        const { param, says } = expectShape(route, status, json);
        // An option is named without its parent.
        const names = path.replace(/^options\./, "").split(".");
        expect(says).toContain(names[0]);
        if (route === "/v1/responses") {
          expect(path.startsWith(String(param)) || String(param).startsWith(path)).toBe(true);
        }
      }),
      { numRuns: tries },
    );
  });

  test("survives random field values and bodies", async () => {
    const change = fc.tuple(fc.constantFrom(...Object.keys(fields)), anyValue);
    const changed = fc
      .array(change, { minLength: 1, maxLength: 4 })
      .map((changes) =>
        changes.reduce<object>((result, [path, value]) => withValueAt(result, path, value), body),
      );
    await fc.assert(
      fc.asyncProperty(fc.oneof({ weight: 5, arbitrary: changed }, anyValue), async (sent) => {
        const { status, json, text } = await server.post(route, JSON.stringify(sent));
        // If the change requests a stream, the response is not JSON.
        if (status !== 200) expectShape(route, status, json);
        else expect(text).toMatch(/^(\{"|event: )/);
      }),
      { numRuns: randomTries },
    );
  });
});

test("more than 800 cases were tried", () => {
  const count = Object.values(apis).reduce(
    (sum, { fields }) => sum + Object.keys(fields).length * tries + randomTries,
    0,
  );
  expect(count).toBeGreaterThan(800);
});
