// DeepSeek V3, R1 and V3.1: calls between <｜tool▁calls▁begin｜> and <｜tool▁calls▁end｜>
import type { Output } from "../output.ts";
import type { OutputFormatDefinition } from "../output-format.ts";
import type { Reading } from "../output-text.ts";
import { readArguments } from "../read-json.ts";

const beginCall = "<｜tool▁call▁begin｜>";
const endCall = "<｜tool▁call▁end｜>";
const beginCalls = "<｜tool▁calls▁begin｜>";
const endCalls = "<｜tool▁calls▁end｜>";
const separator = "<｜tool▁sep｜>";

/** Misspellings by distilled models. */
const misspelledBeginnings = [
  "<｜tool_calls_begin｜>",
  "<｜tool calls begin｜>",
  "<｜tool\\_calls\\_begin｜>",
  "<｜tool▁calls｜>",
];

/**
 * V3 and R1 write `function<｜tool▁sep｜>name` and the arguments in a fenced block of JSON, V3.1
 * `name<｜tool▁sep｜>{…}`. Sources: llama.cpp, common/chat-parser.cpp and tests/test-chat.cpp; vLLM,
 * deepseekv3_tool_parser.py and deepseekv31_tool_parser.py.
 */
const common = {
  marks: [beginCalls, endCalls, beginCall, endCall, separator],
  calls: { openings: [beginCalls, beginCall, ...misspelledBeginnings], read },
} as const;

export const deepseek: OutputFormatDefinition = {
  ...common,
  isUsedBy: (template) => template.includes(beginCalls),
  shape: {
    opening: beginCalls,
    beforeName: `${beginCall}function${separator}`,
    beforeArguments: "\n```json\n",
    afterArguments: `\n\`\`\`${endCall}`,
    separator: "\n",
    closing: endCalls,
  },
};

/** V3.1's form; both are read for either version. */
export const deepseekUnfenced: OutputFormatDefinition = {
  ...common,
  isUsedBy: (template) => template.includes(beginCalls) && !template.includes("```json"),
  shape: {
    opening: beginCalls,
    beforeName: beginCall,
    beforeArguments: separator,
    afterArguments: endCall,
    separator: "",
    closing: endCalls,
  },
};

function* read(output: Output): Reading<boolean> {
  const { text } = output;
  const beginning = yield* text.oneOf([beginCalls, ...misspelledBeginnings]);
  text.take(beginning?.length ?? 0);
  if (!(yield* readCall(output))) return false;
  while (yield* text.attempt(readCall(output))) {}
  yield* text.skipClosing(endCalls);
  return true;
}

function* readCall(output: Output): Reading<boolean> {
  const { text } = output;
  yield* text.skipAfterSpace(beginCall);
  yield* text.takeSpace();
  const isFenced = yield* text.skip(`function${separator}`);
  const name = yield* output.readToolName();
  if (name === undefined) return false;
  if (isFenced) yield* text.skipAfterSpace("```json");
  else if (!(yield* text.skipAfterSpace(separator))) return false;
  if (!(yield* readArguments(output, name))) return false;
  if (isFenced) yield* text.skipClosing("```");
  yield* text.skipClosing(endCall);
  return true;
}
