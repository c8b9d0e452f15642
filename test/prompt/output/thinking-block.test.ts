// Thinking that a prompt has opened, thinking in earlier answers, and ids of calls.
import { describe, expect, it } from "vitest";
import type { ChatMessage } from "../../../source/prompt/chat-message.ts";
import { opensThinking, stripThinking } from "../../../source/prompt/output/thinking-block.ts";
import { withTemplateCallIds } from "../../../source/prompt/output/tool-call-ids.ts";

const think = { open: "<think>", close: "</think>" };
const prompt = (...texts: string[]) => texts.map((text) => ({ text, special: true }));

describe("a rendered prompt", () => {
  it.each([
    ["<|im_start|>assistant\n<think>\n", true],
    ["<｜Assistant｜><think>", true],
    ["<|im_start|>assistant\n<think>\n\n</think>\n\n", false],
    ["<|im_start|>assistant\n", false],
    ["What is <think>?<|im_end|>\n<|im_start|>assistant\n", false],
  ])("that ends with %j opens the thinking: %s", (end, opens) => {
    expect(opensThinking(prompt("<|im_start|>user\nHi", end), think)).toBe(opens);
  });

  it("may open the thinking in a separate segment", () => {
    expect(opensThinking(prompt("<|im_start|>assistant\n", "<think>", "\n"), think)).toBe(true);
  });

  it("opens none if the model does not think", () => {
    expect(opensThinking(prompt("<think>"), undefined)).toBe(false);
    expect(opensThinking([], think)).toBe(false);
  });
});

describe("thinking in earlier answers", () => {
  const user = (content: string): ChatMessage => ({ role: "user", content });
  const answer = (content: string): ChatMessage => ({ role: "assistant", content });

  it("is left out before the last question, and nothing else", () => {
    const messages = [
      user("<think>x</think>one"),
      answer("<think>\nWell.\n</think>\n\nFirst."),
      answer("No tags."),
      answer("About <think>tags</think>."),
      answer("<think>never closed"),
      user("two"),
      answer("<think>now</think>Second."),
    ];
    expect(stripThinking(messages, think).map(({ content }) => content)).toEqual([
      "<think>x</think>one",
      "First.",
      "No tags.",
      "About <think>tags</think>.",
      "<think>never closed",
      "two",
      "<think>now</think>Second.",
    ]);
  });

  it("keeps the calls of an answer", () => {
    const toolCalls = [{ id: "a", name: "f", arguments: {} }];
    const messages: ChatMessage[] = [
      { role: "assistant", content: "<think>x</think>", toolCalls },
      user("go on"),
    ];
    expect(stripThinking(messages, think)[0]).toEqual({
      role: "assistant",
      content: "",
      toolCalls,
    });
  });
});

describe("ids of calls", () => {
  const messages: ChatMessage[] = [
    {
      role: "assistant",
      content: "",
      toolCalls: [
        { id: "call_ab12cd34", name: "f", arguments: {} },
        { id: "1", name: "g", arguments: {} },
        { id: undefined, name: "h", arguments: {} },
      ],
    },
    { role: "tool", content: "x", toolCallId: "call_ab12cd34" },
    { role: "tool", content: "y", toolCallId: "1" },
  ];

  it("are nine characters if a template requires that, and still match", () => {
    const template = "{%- if tool_call.id|length != 9 %}{{ raise_exception('nine!') }}";
    const [call, first, second] = withTemplateCallIds(messages, template);
    const ids = call?.toolCalls?.map(({ id }) => id);
    expect(ids).toEqual(["lab12cd34", "000000001", undefined]);
    expect([first?.toolCallId, second?.toolCallId]).toEqual(ids?.slice(0, 2));
  });

  it("are left alone otherwise", () => {
    expect(withTemplateCallIds(messages, "{{ tool_call.id }}")).toEqual(messages);
  });
});
