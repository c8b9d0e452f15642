// Formats that put JSON objects or lists of them after a mark, and nothing more.
import type { Output } from "../output.ts";
import { jsonCallShape, listShape, type OutputFormatDefinition } from "../output-format.ts";
import type { Reading } from "../output-text.ts";
import type { CallSyntax } from "../read-answer.ts";
import { readJsonCalls } from "../read-json-call.ts";

const cohereKeys = { name: "tool_name", arguments: "parameters" };

/** @param open each of them begins calls; the first is the usual one */
function taggedCalls(open: readonly string[], close: string | undefined): CallSyntax {
  return {
    openings: open,
    *read(output: Output): Reading<boolean> {
      const { text } = output;
      const opening = yield* text.oneOf(open);
      text.take(opening?.length ?? 0);
      if (!(yield* readJsonCalls(output))) return false;
      if (close !== undefined) yield* text.skipClosing(close);
      return true;
    },
  };
}

/**
 * IBM Granite 3: `<|tool_call|>[…]`, from 3.1 on `<tool_call>[…]`; with thinking, the answer stands
 * in `<response>`. Granite 4 writes as Hermes does. Sources: llama.cpp, common/chat-parser.cpp;
 * vLLM, granite_tool_parser.py.
 */
export const granite: OutputFormatDefinition = {
  isUsedBy: (template) =>
    /<\|(?:start_of_role|tool_call)\|>/.test(template) && !template.includes("</tool_call>"),
  marks: ["<|tool_call|>", "<tool_call>"],
  calls: {
    ...taggedCalls(["<|tool_call|>", "<tool_call>"], undefined),
    frame: { open: "<response>", close: "</response>" },
  },
  shape: listShape("<|tool_call|>", ""),
};

/**
 * Phi-4-mini: `<|tool_call|>{…}<|/tool_call|>`, or `functools[…]`. Sources: llama.cpp's template for
 * Phi-4-mini-instruct; vLLM, phi4mini_tool_parser.py.
 */
export const phi: OutputFormatDefinition = {
  isUsedBy: (template) => template.includes("<|/tool_call|>") || template.includes("<|/tool|>"),
  marks: ["<|tool_call|>", "<|/tool_call|>"],
  calls: taggedCalls(["<|tool_call|>", "functools"], "<|/tool_call|>"),
  shape: { ...jsonCallShape("<|tool_call|>", "<|/tool_call|>"), separator: "" },
};

/**
 * Command R7B and Command A: `<|START_ACTION|>[…]<|END_ACTION|>` with `tool_name` and `parameters`.
 * Source: llama.cpp, common/chat-parser.cpp and tests/test-chat.cpp.
 */
export const commandR7b: OutputFormatDefinition = {
  isUsedBy: (template) => template.includes("<|START_ACTION|>"),
  marks: ["<|START_ACTION|>", "<|END_ACTION|>", "<|START_RESPONSE|>", "<|END_RESPONSE|>"],
  calls: {
    ...taggedCalls(["<|START_ACTION|>"], "<|END_ACTION|>"),
    frame: { open: "<|START_RESPONSE|>", close: "<|END_RESPONSE|>" },
  },
  shape: listShape("<|START_ACTION|>", "<|END_ACTION|>", cohereKeys),
  frame: { open: "<|START_RESPONSE|>", close: "<|END_RESPONSE|>" },
};

/** Cohere's mixtures of experts: same calls, with the answer in `<|START_TEXT|>`. */
export const cohere2moe: OutputFormatDefinition = {
  ...commandR7b,
  isUsedBy: (template) =>
    template.includes("<|START_ACTION|>") && template.includes("<|START_TEXT|>"),
  marks: ["<|START_ACTION|>", "<|END_ACTION|>", "<|START_TEXT|>", "<|END_TEXT|>"],
  calls: {
    ...taggedCalls(["<|START_ACTION|>"], "<|END_ACTION|>"),
    frame: { open: "<|START_TEXT|>", close: "<|END_TEXT|>" },
  },
  frame: { open: "<|START_TEXT|>", close: "<|END_TEXT|>" },
};

/**
 * Command R and R+: `Action:` and a fenced list of JSON. Source: llama.cpp, tests/test-chat.cpp.
 */
export const commandR: OutputFormatDefinition = {
  isUsedBy: (template) => /Action:\s*```json/.test(template.replaceAll("\\n", "\n")),
  calls: {
    ...taggedCalls(["Action:\n```json\n", "Action: ```json\n"], "```"),
    frame: { open: "<|CHATBOT_TOKEN|>", close: "<|END_OF_TURN_TOKEN|>" },
  },
  shape: listShape("Action: ```json\n", "\n```", cohereKeys),
  notations: ["Action: ```json\n", "Action:\n```json\n"].map((mark) => ({
    kind: "json",
    mark,
    shape: listShape(mark, "\n```", cohereKeys),
  })),
};

/** Nemotron Nano 2: `<TOOLCALL>[…]</TOOLCALL>`. Source: llama.cpp, tests/test-chat.cpp. */
export const nemotron: OutputFormatDefinition = {
  isUsedBy: (template) => template.includes("<TOOLCALL>"),
  marks: ["<TOOLCALL>", "</TOOLCALL>"],
  calls: taggedCalls(["<TOOLCALL>"], "</TOOLCALL>"),
  shape: listShape("<TOOLCALL>", "</TOOLCALL>"),
};

/** Apriel 1.5: `<tool_calls>[…]</tool_calls>`. Source: llama.cpp, tests/test-chat.cpp. */
export const apriel: OutputFormatDefinition = {
  isUsedBy: (template) => template.includes("<tool_calls>"),
  marks: ["<tool_calls>", "</tool_calls>"],
  calls: taggedCalls(["<tool_calls>"], "</tool_calls>"),
  shape: listShape("<tool_calls>", "</tool_calls>"),
};

/**
 * Apriel 1.6: the prompt begins the thinking with a sentence, and a marker ends it. Calls as in 1.5.
 * Source: llama.cpp, tests/test-chat.cpp.
 */
export const aprielThinker: OutputFormatDefinition = {
  ...apriel,
  isUsedBy: (template) => template.includes("[BEGIN FINAL RESPONSE]"),
  marks: ["<tool_calls>", "</tool_calls>", "[BEGIN FINAL RESPONSE]"],
  thinking: { open: "Here are my reasoning steps:", close: "[BEGIN FINAL RESPONSE]" },
};

/** GigaChat 3: a message of the role `function call`. Source: llama.cpp, tests/test-chat.cpp. */
export const gigachat: OutputFormatDefinition = {
  isUsedBy: (template) => template.includes("<|role_sep|>") && template.includes("<|message_sep|>"),
  marks: ["<|message_sep|>", "<|role_sep|>"],
  calls: taggedCalls(["<|message_sep|>\n\nfunction call<|role_sep|>\n"], undefined),
  shape: jsonCallShape("<|message_sep|>\n\nfunction call<|role_sep|>\n", ""),
};

/** GigaChat 3.1: `<|function_call|>{…}`. Source: llama.cpp, tests/test-chat.cpp. */
export const gigachatMarked: OutputFormatDefinition = {
  isUsedBy: (template) => template.includes("<|function_call|>"),
  marks: ["<|function_call|>"],
  calls: taggedCalls(["<|function_call|>"], undefined),
  shape: jsonCallShape("<|function_call|>", ""),
};

/** FireFunction 2: ` functools[…]`. Source: llama.cpp, tests/test-chat.cpp. */
export const fireFunction: OutputFormatDefinition = {
  isUsedBy: (template) => template.includes("functools["),
  calls: taggedCalls(["functools"], undefined),
  shape: listShape(" functools", ""),
};
