// An incomplete call does not count: its text is sent again, and no client may run it.
import { MessageStream } from "@anthropic-ai/sdk/lib/MessageStream";
import type OpenAI from "openai";
import { ResponseStream } from "openai/lib/responses/ResponseStream";
import { describe, expect, test } from "vitest";
import type { CanonicalEvent } from "../../../source/engine/request.ts";
import { MessageAnswer } from "../../../source/server/routes/anthropic/message-answer.ts";
import type { NamedAnswer, NamedEvent } from "../../../source/server/routes/named-events.ts";
import { OfferedTools } from "../../../source/server/routes/openai/responses/offered-tools.ts";
import { ResponseAnswer } from "../../../source/server/routes/openai/responses/response-answer.ts";

const statistics = {
  promptTokens: 20,
  cachedTokens: 5,
  completionTokens: 9,
  queueMs: 0,
  promptMs: 1,
  completionMs: 1,
};
const brokenText = '<tool_call>{"name": "f", "arguments": {"a": ';
const events: CanonicalEvent[] = [
  { type: "started", promptTokens: 20, cachedTokens: 5, slot: 0 },
  { type: "thinking", text: "Hm.", tokens: 2 },
  { type: "tool-call", index: 0, id: "call_1", name: "f", tokens: 3 },
  { type: "tool-arguments", index: 0, text: '{"a":1}', tokens: 5 },
  { type: "tool-call-end", index: 0, arguments: { a: 1 } },
  { type: "tool-call", index: 1, id: "call_2", name: "f", tokens: 6 },
  { type: "tool-arguments", index: 1, text: '{"a": ', tokens: 9 },
  { type: "text", text: brokenText, tokens: 9 },
  { type: "done", reason: "length", statistics },
];

const told = (answer: NamedAnswer) => events.flatMap((event) => answer.take(event));

const lines = (told: readonly NamedEvent[]) =>
  new Blob(told.map((event) => `${JSON.stringify(event)}\n`)).stream();

describe("over /v1/responses", () => {
  const whole = [
    { type: "reasoning", summary: [{ text: "Hm." }] },
    { type: "function_call", status: "completed", call_id: "call_1", arguments: '{"a":1}' },
  ];
  const text = { type: "message", status: "incomplete", content: [{ text: brokenText }] };

  test("is missing from the whole answer", () => {
    const answer = new ResponseAnswer({ model: "m" }, new OfferedTools());
    told(answer);
    const { output, usage } = answer.toJson();
    expect(output).toMatchObject([...whole, text]);
    expect(output).toHaveLength(3);
    expect(usage).toMatchObject({ output_tokens_details: { reasoning_tokens: 2 } });
  });

  test("is incomplete in the stream, which the client library accepts", async () => {
    const stream = ResponseStream.fromReadableStream(
      lines(told(new ResponseAnswer({ model: "m" }, new OfferedTools()))),
    );
    const response: OpenAI.Responses.Response = await stream.finalResponse();
    const broken = { type: "function_call", status: "incomplete", call_id: "call_2" };
    expect(response.output).toMatchObject([...whole, broken, text]);
    expect(response.status).toBe("incomplete");
  });
});

describe("over /v1/messages", () => {
  const body = { model: "m", max_tokens: 9, messages: [] };
  const whole = [
    { type: "thinking", thinking: "Hm." },
    { type: "tool_use", id: "call_1", input: { a: 1 } },
  ];

  test("is missing from the whole answer", () => {
    const answer = new MessageAnswer(body, "r-1");
    told(answer);
    const { content, stop_reason, usage } = answer.toJson();
    expect(content).toMatchObject([...whole, { type: "text", text: brokenText }]);
    expect(content).toHaveLength(3);
    expect(stop_reason).toBe("max_tokens");
    expect(usage).toMatchObject({
      input_tokens: 15,
      cache_read_input_tokens: 5,
      output_tokens_details: { thinking_tokens: 2 },
    });
  });

  test("does not break the stream, and is no reason to use a tool", async () => {
    const events = told(new MessageAnswer(body, "r-1"));
    const message = await MessageStream.fromReadableStream(lines(events)).finalMessage();
    expect(message.content.slice(0, 2)).toMatchObject(whole);
    expect(message.content.at(-1)).toMatchObject({ type: "text", text: brokenText });
    expect(message.stop_reason).toBe("max_tokens");
  });
});
