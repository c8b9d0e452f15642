// Messages and tools of the native API as the prompt gets them.
import { describe, expect, test } from "vitest";
import {
  toPromptMessage,
  toToolDefinition,
} from "../../../../source/server/routes/native/messages.ts";

describe("messages", () => {
  test("keep their fields, under the prompt's names", () => {
    const message = toPromptMessage({
      role: "Assistant",
      content: "Wait.",
      thinking: "Which city?",
      tool_calls: [
        { id: "call_1", function: { index: 3, name: "f", arguments: { b: 1, a: [2] } } },
      ],
    });
    expect(message).toEqual({
      role: "assistant",
      content: "Wait.",
      thinking: "Which city?",
      toolCalls: [{ id: "call_1", name: "f", arguments: { b: 1, a: [2] } }],
    });
    const answer = { role: "tool", content: "rain", tool_name: "f", tool_call_id: "call_1" };
    expect(toPromptMessage(answer)).toEqual({
      role: "tool",
      content: "rain",
      toolName: "f",
      toolCallId: "call_1",
    });
  });

  test("have no empty fields", () => {
    for (const nothing of [null, undefined]) {
      const message = {
        role: "user",
        content: nothing,
        thinking: nothing,
        images: nothing,
        tool_calls: nothing,
        tool_name: nothing,
        tool_call_id: nothing,
      };
      expect(toPromptMessage(message as Parameters<typeof toPromptMessage>[0])).toEqual({
        role: "user",
        content: "",
      });
    }
    expect(toPromptMessage({ role: "user", tool_calls: [], thinking: "" })).toEqual({
      role: "user",
      content: "",
    });
  });

  test.each(["", "human", "functions", " user"])("%j is not a role", (role) => {
    expect(() => toPromptMessage({ role })).toThrow(/must be one of system, developer, user/);
  });
});

test("the properties of a tool keep their order", () => {
  const properties = { zone: {}, city: {}, area: {} };
  const { parameters } = toToolDefinition({
    type: "function",
    function: { name: "f", parameters: { type: "object", properties, required: [] } },
  });
  expect(JSON.stringify(parameters)).toBe(
    '{"type":"object","properties":{"zone":{},"city":{},"area":{}},"required":[]}',
  );
});
