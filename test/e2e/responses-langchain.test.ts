// LangChain's OpenAI models over /v1/responses.
import { tool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { sharedServer } from "../support/shared-server.ts";
import type { TestServer } from "../support/test-server.ts";

let server: TestServer;

beforeAll(async () => {
  server = await sharedServer();
});

const chat = (model = "tiny") =>
  new ChatOpenAI({
    model,
    apiKey: "anything",
    useResponsesApi: true,
    maxRetries: 0,
    configuration: { baseURL: `${server.url}/v1` },
  });

const capital = "What is the capital of France?";
const getWeather = tool(async () => "sunny", {
  name: "get_weather",
  description: "Get the weather in a city",
  schema: z.object({ city: z.string() }),
});

test("returns an answer whole and streamed, with usage", async () => {
  const whole = await chat().invoke(capital);
  expect(whole.text).toBe("The capital of France is Paris.");
  expect(whole.usage_metadata).toMatchObject({ output_tokens: 13 });
  let text = "";
  for await (const piece of await chat().stream(capital)) text += piece.text;
  expect(text).toBe("The capital of France is Paris.");
});

test("returns reasoning separately", async () => {
  const { text, additional_kwargs } = await chat("thinker").invoke(capital);
  expect(text).toBe("is Paris.");
  expect(JSON.stringify(additional_kwargs.reasoning)).toContain("The capital of");
});

test("calls a tool and uses its result", async () => {
  const model = chat().bindTools([getWeather]);
  const question = { role: "user", content: "What is the weather in Paris?" };
  const answer = await model.invoke([question]);
  expect(answer.tool_calls).toMatchObject([{ name: "get_weather", args: { city: "Paris" } }]);
  const [call] = answer.tool_calls ?? [];
  if (call === undefined) throw new Error("no call");
  const result = await getWeather.invoke({ ...call, type: "tool_call" as const });
  expect((await model.invoke([question, answer, result])).text).toBe("The tool says: sunny");
});

test("follows a schema", async () => {
  const model = chat().withStructuredOutput(z.object({ capital: z.string() }));
  const answer = await model.invoke("Reply in JSON with the capital of France.");
  expect(answer).toEqual({ capital: "Paris" });
});
