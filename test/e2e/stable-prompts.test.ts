// Equivalent requests share the beginning of their prompts, on every route.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sharedServer } from "../support/shared-server.ts";
import { TestServer } from "../support/test-server.ts";

let stable: TestServer;
let unchanged: TestServer;

beforeAll(async () => {
  stable = await sharedServer();
  unchanged = await TestServer.start({ stable_prompts: false });
});
afterAll(async () => await unchanged.close());

/** Billing line that Claude Code adds and gateways pass on. */
const billing = (number: number) =>
  `x-anthropic-billing-header: cc_version=2.1.4; cc_entrypoint=cli; cch=${number}a7b3;`;
const user = { role: "user", content: "What is the capital of France?" };
const common = { model: "tiny", max_tokens: 4 };

/** Requests of each route whose system prompt begins with a line that changes. */
const routes: Array<[path: string, body: (number: number) => Record<string, unknown>]> = [
  [
    "/v1/messages",
    (number) => ({
      ...common,
      system: [
        { type: "text", text: billing(number) },
        { type: "text", text: "Be brief." },
      ],
      messages: [user],
    }),
  ],
  [
    "/v1/chat/completions",
    (number) => ({
      ...common,
      messages: [{ role: "system", content: `${billing(number)}\nBe brief.` }, user],
    }),
  ],
  [
    "/v1/responses",
    (number) => ({
      model: "tiny",
      max_output_tokens: 4,
      instructions: `${billing(number)}\n\nBe brief.`,
      input: [{ type: "message", ...user }],
    }),
  ],
];

/** Returns the prompt tokens, and those that were cached from the request before. */
async function reading(
  server: TestServer,
  path: string,
  body: Record<string, unknown>,
): Promise<{ prompt: number; cached: number }> {
  const reply = await server.post(path, body);
  expect(reply.status, reply.text).toBe(200);
  const id = reply.headers.get("x-request-id");
  const record = server.hosted.requestLog.find(id ?? "");
  return { prompt: record?.promptTokens ?? 0, cached: record?.cachedTokens ?? 0 };
}

describe.each(routes)("%s", (path, body) => {
  test("a changing billing line is left out of the prompt", async () => {
    await reading(stable, path, body(1));
    const again = await reading(stable, path, body(2));
    expect(again.cached).toBe(again.prompt - 1);
  });

  test("stable_prompts = false shows it to the model", async () => {
    await reading(unchanged, path, body(1));
    const again = await reading(unchanged, path, body(2));
    expect(again.cached).toBeLessThan(again.prompt - 10);
  });
});

describe("tools", () => {
  const tool = (name: string, parameters: Record<string, unknown>) => ({
    type: "function",
    function: { name, description: "Get the weather", parameters },
  });
  const properties = { city: { type: "string" }, days: { type: "integer" } };
  const forecast = tool("get_forecast", { type: "object", properties, required: ["city", "days"] });
  const weather = tool("get_weather", { type: "object", properties: { city: { type: "string" } } });
  /** The same as the first, in another order. */
  const again = tool("get_forecast", { required: ["days", "city"], properties, type: "object" });
  const call = (text: string) => ({
    role: "assistant",
    content: null,
    tool_calls: [
      { id: "call_1", type: "function", function: { name: "get_forecast", arguments: text } },
    ],
  });
  const result = { role: "tool", tool_call_id: "call_1", content: "Rain." };

  test.each([
    ["the list", { tools: [forecast, weather] }, { tools: [weather, forecast] }],
    ["the keywords of a schema", { tools: [forecast] }, { tools: [again] }],
    [
      "the arguments of a call",
      { tools: [forecast], messages: [user, call('{"city":"Rome","days":2}'), result] },
      { tools: [forecast], messages: [user, call('{"days":2,"city":"Rome"}'), result] },
    ],
  ])("in another order of %s are read once", async (_, first, second) => {
    await reading(stable, "/v1/chat/completions", { ...common, messages: [user], ...first });
    const { prompt, cached } = await reading(stable, "/v1/chat/completions", {
      ...common,
      messages: [user],
      ...second,
    });
    expect(cached).toBe(prompt - 1);
  });
});
