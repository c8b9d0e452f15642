// Items of a response's input as the conversation that a model sees.
import { expect, test } from "vitest";
import { toMessages } from "../../../../../source/server/routes/openai/responses/input-items.ts";

const call = {
  type: "function_call",
  call_id: "call_1",
  name: "get_weather",
  arguments: '{"city":"Paris"}',
};
const madeCall = { id: "call_1", name: "get_weather", arguments: { city: "Paris" } };

test("reasoning and calls belong to one answer, and outputs know their function", () => {
  const summary = (text: string) => ({ type: "summary_text", text });
  const input = [
    { role: "user", content: "What is the weather?" },
    { type: "reasoning", id: "rs_1", summary: [summary("I need"), summary("the weather.")] },
    call,
    { ...call, call_id: "call_2" },
    { type: "function_call_output", call_id: "call_2", output: "rainy" },
    { type: "function_call_output", call_id: "call_9", output: "unknown" },
  ];
  expect(toMessages(input, undefined)).toEqual([
    { role: "user", content: "What is the weather?" },
    {
      role: "assistant",
      content: "",
      thinking: "I need\n\nthe weather.",
      toolCalls: [madeCall, { ...madeCall, id: "call_2" }],
    },
    { role: "tool", toolCallId: "call_2", toolName: "get_weather", content: "rainy" },
    { role: "tool", toolCallId: "call_9", content: "unknown" },
  ]);
});

test("a call belongs to the text before it, and thinking is preferred to its summary", () => {
  const input = [
    {
      type: "reasoning",
      summary: [{ type: "summary_text", text: "short" }],
      content: [{ type: "reasoning_text", text: "long" }],
    },
    {
      type: "message",
      role: "assistant",
      content: [{ type: "output_text", text: "Let me look." }],
    },
    call,
  ];
  expect(toMessages(input, undefined)).toEqual([
    { role: "assistant", content: "Let me look.", thinking: "long", toolCalls: [madeCall] },
  ]);
});

test("instructions and system prompts are joined, and so are consecutive user messages", () => {
  const input = [
    { role: "developer", content: "You are a pirate." },
    { role: "system", content: "It is Monday." },
    { role: "user", content: "Hello!" },
    { role: "user", content: [{ type: "input_text", text: "Who are you?" }] },
  ];
  expect(toMessages(input, "Be short.")).toEqual([
    { role: "system", content: "Be short.\n\nYou are a pirate.\n\nIt is Monday." },
    { role: "user", content: "Hello!\n\nWho are you?" },
  ]);
  expect(toMessages("Hello!", "Be short.")).toEqual([
    { role: "system", content: "Be short." },
    { role: "user", content: "Hello!" },
  ]);
});
