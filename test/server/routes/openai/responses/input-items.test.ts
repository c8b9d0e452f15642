// Items of a response's input as the conversation that a model sees.
import { expect, test } from "vitest";
import { toMessages } from "../../../../../source/server/routes/openai/responses/input-items.ts";
import { OfferedTools } from "../../../../../source/server/routes/openai/responses/offered-tools.ts";

function messagesOf(input: unknown, instructions?: string, tools = new OfferedTools()) {
  return toMessages(input, instructions, tools);
}

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
  expect(messagesOf(input)).toEqual([
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
  expect(messagesOf(input)).toEqual([
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
  expect(messagesOf(input, "Be short.")).toEqual([
    { role: "system", content: "Be short.\n\nYou are a pirate.\n\nIt is Monday." },
    { role: "user", content: "Hello!\n\nWho are you?" },
  ]);
  expect(messagesOf("Hello!", "Be short.")).toEqual([
    { role: "system", content: "Be short." },
    { role: "user", content: "Hello!" },
  ]);
});

test("calls of every kind of tool are calls of the functions that the model was offered", () => {
  const shell = { stdout: "a.txt", stderr: "", outcome: { type: "exit", exit_code: 2 } };
  const patch = { type: "update_file", path: "a.txt", diff: "@@\n-a\n+b" };
  const input = [
    { ...call, namespace: "forecast" },
    { type: "custom_tool_call", call_id: "c2", name: "write", input: "text" },
    {
      type: "local_shell_call",
      id: "l1",
      call_id: "l1",
      action: { type: "exec", command: ["ls"], env: {}, timeout_ms: null },
    },
    { type: "shell_call", call_id: "s1", action: { commands: ["ls", "pwd"] } },
    { type: "apply_patch_call", call_id: "p1", operation: patch },
    { type: "tool_search_call", call_id: "t1", execution: "client", arguments: { query: "time" } },
    { type: "custom_tool_call_output", call_id: "c2", output: "written" },
    { type: "local_shell_call_output", id: "l1", output: "b.txt" },
    { type: "shell_call_output", call_id: "s1", output: [shell] },
    { type: "apply_patch_call_output", call_id: "p1", status: "failed" },
    {
      type: "tool_search_output",
      call_id: "t1",
      tools: [{ type: "function", name: "get_time", parameters: {} }],
    },
  ];
  const tools = new OfferedTools();
  const [made, ...results] = messagesOf(input, undefined, tools);
  expect(made?.toolCalls).toEqual([
    { id: "call_1", name: "forecast__get_weather", arguments: { city: "Paris" } },
    { id: "c2", name: "write", arguments: { input: "text" } },
    { id: "l1", name: "local_shell", arguments: { command: ["ls"] } },
    { id: "s1", name: "shell", arguments: { commands: ["ls", "pwd"] } },
    { id: "p1", name: "apply_patch", arguments: patch },
    { id: "t1", name: "tool_search", arguments: { query: "time" } },
  ]);
  expect(results.map(({ toolName, content }) => [toolName, content])).toEqual([
    ["write", "written"],
    ["local_shell", "b.txt"],
    ["shell", "a.txt\nexit code 2"],
    ["apply_patch", "failed"],
    ["tool_search", "The tools that were found can be called now."],
  ]);
  expect(tools.definitions.map(({ name }) => name)).toEqual(["get_time"]);
});
