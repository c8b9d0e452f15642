// Hermes and Qwen: <tool_call>{"name": …, "arguments": {…}}</tool_call>
import type { Output } from "../output.ts";
import { jsonCallShape, type OutputFormatDefinition } from "../output-format.ts";
import type { Reading } from "../output-text.ts";
import { readJsonCalls } from "../read-json-call.ts";
import { type MarkedCallForm, readMarkedCall } from "../read-marked-call.ts";

/** Qwen3-Coder's notation of a call. Source: vLLM, qwen3coder_tool_parser.py. */
export const functionForm: MarkedCallForm = {
  beforeName: "<function=",
  afterName: ">",
  beforeKey: "<parameter=",
  afterKey: ">",
  afterValue: "</parameter>",
  end: "</function>",
};

/**
 * Used by Hermes 2 and 3, Qwen 2.5 and 3, Granite 4, SmolLM 3 and many others; Qwen3-Coder, Qwen 3.5
 * and Nemotron 3 write `<function=…>` with `<parameter=…>` inside the same tag. Sources: llama.cpp,
 * common/chat.cpp and tests/test-chat.cpp; vLLM, hermes_tool_parser.py.
 */
export const hermes: OutputFormatDefinition = {
  isUsedBy: (template) => template.includes("<tool_call>"),
  marks: ["<tool_call>", "</tool_call>"],
  calls: { openings: ["<tool_call>", "<function="], read },
  shape: { ...jsonCallShape("<tool_call>\n", "\n</tool_call>"), separator: "\n" },
};

function* read(output: Output): Reading<boolean> {
  const { text } = output;
  const isTagged = yield* text.skip("<tool_call>");
  yield* text.takeSpace();
  const isMarked = yield* text.startsWith(functionForm.beforeName);
  const isCall = isMarked
    ? yield* readMarkedCall(output, functionForm)
    : isTagged && (yield* readJsonCalls(output));
  if (isCall) yield* text.skipClosing("</tool_call>");
  return isCall;
}
