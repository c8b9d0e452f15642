// Answers that follow the client's grammar, as in llama-server.
import { beforeAll, describe, expect, test } from "vitest";
import { type OpenaiError, user, weatherTool } from "../support/openai-client.ts";
import { sharedServer } from "../support/shared-server.ts";
import type { TestServer } from "../support/test-server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await sharedServer();
});

const messages = [user("What is the capital of France?")];
const cities = 'root ::= "It is " city "."\ncity ::= "Oslo" | "Rome" | "Paris"';
const common = { model: "tiny", temperature: 0, max_tokens: 200 };

test("a chat's answer follows the grammar", async () => {
  const { json } = await server.post("/v1/chat/completions", {
    ...common,
    messages,
    grammar: cities,
  });
  expect(json).toMatchObject({
    choices: [{ message: { content: expect.stringMatching(/^It is (?:Oslo|Rome|Paris)\.$/) } }],
  });
});

test("a model may think before the answer", async () => {
  const { json } = await server.post("/v1/chat/completions", {
    ...common,
    model: "thinker",
    messages,
    grammar: cities,
  });
  expect(json).toMatchObject({
    choices: [{ message: { content: expect.stringMatching(/^It is (?:Oslo|Rome|Paris)\.$/) } }],
  });
});

test("a response follows it, also streamed", async () => {
  const body = { model: "tiny", input: messages, temperature: 0, grammar: cities };
  const { json } = await server.post("/v1/responses", body);
  const text = expect.stringMatching(/^It is (?:Oslo|Rome|Paris)\.$/);
  expect(json).toMatchObject({ output: [{ content: [{ text }] }] });
  const streamed = await server.post("/v1/responses", { ...body, stream: true });
  expect(streamed.text).toMatch(/"text":"It is (?:Oslo|Rome|Paris)\."/);
});

test("a completion follows it, and a repeating one continues", async () => {
  const { json } = await server.post("/v1/completions", {
    ...common,
    prompt: "The capital of France is",
    grammar: 'root ::= " "{70} "x"',
  });
  expect(json).toMatchObject({
    choices: [{ text: `${" ".repeat(70)}x`, finish_reason: "stop" }],
  });
});

test("an empty grammar is ignored", async () => {
  const { status } = await server.post("/v1/chat/completions", {
    ...common,
    messages,
    grammar: "",
  });
  expect(status).toBe(200);
});

describe("is refused in one sentence, and the server keeps answering", () => {
  test.each<[string, string, RegExp]>([
    ["bad notation", "root ::= (", /not valid GBNF/],
    ["a rule that is not defined", "root ::= nothing", /not valid GBNF/],
    ["a left-recursive rule", 'root ::= root "a"', /not valid GBNF/],
    ["no root", 'answer ::= "a"', /no rule named root/],
    ["too much", `root ::= "${"a".repeat(1000)}"{1000}`, /repetitions are too large/],
    ["too many ways", 'root ::= ("a"? ){100} "a"{100}', /the rule root matches in too many ways/],
    ["too deep", `root ::= ${"(".repeat(5000)}"a"${")".repeat(5000)}`, /brackets are nested/],
  ])("%s", async (_, grammar, says) => {
    for (const [path, body] of [
      ["/v1/chat/completions", { messages }],
      ["/v1/chat/completions", { messages, stream: true }],
      ["/v1/completions", { prompt: "The" }],
      ["/v1/responses", { input: messages, max_tokens: undefined }],
    ] as const) {
      const { status, json } = await server.post(path, { ...common, ...body, grammar });
      expect(status).toBe(400);
      const { error } = json as OpenaiError;
      expect(error).toMatchObject({ param: "grammar", message: expect.stringMatching(says) });
      expect(error.message).not.toContain("\n");
    }
    expect(await server.ask("What is 2 + 3?")).toBe("2 + 3 = 5");
  });

  test("with text.format of a response, or a required call", async () => {
    const { type, function: own } = weatherTool;
    for (const more of [
      { text: { format: { type: "json_object" } } },
      { tools: [{ type, ...own }], tool_choice: "required" },
    ]) {
      const body = { model: "tiny", input: messages, grammar: cities, ...more };
      const { status, json } = await server.post("/v1/responses", body);
      expect(status).toBe(400);
      expect((json as OpenaiError).error.param).toBe("grammar");
    }
  });

  test("with response_format, or a required call", async () => {
    for (const more of [
      { response_format: { type: "json_object" } },
      { tools: [weatherTool], tool_choice: "required" },
    ]) {
      const body = { ...common, messages, grammar: cities, ...more };
      const { status, json } = await server.post("/v1/chat/completions", body);
      expect(status).toBe(400);
      expect((json as OpenaiError).error.param).toBe("grammar");
    }
  });
});
