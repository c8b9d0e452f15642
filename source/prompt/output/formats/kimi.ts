// Kimi K2: <|tool_call_begin|>functions.name:0<|tool_call_argument_begin|>{…}<|tool_call_end|>
import type { Output } from "../output.ts";
import type { OutputFormatDefinition, ToolCallShape } from "../output-format.ts";
import type { Reading } from "../output-text.ts";
import { readArguments } from "../read-json.ts";

const beginCalls = "<|tool_calls_section_begin|>";
const endCalls = "<|tool_calls_section_end|>";
const beginCall = "<|tool_call_begin|>";
const beginArguments = "<|tool_call_argument_begin|>";
const endCall = "<|tool_call_end|>";

const shape: ToolCallShape = {
  opening: beginCalls,
  beforeName: `${beginCall}functions.`,
  beforeArguments: `:0${beginArguments}`,
  afterArguments: endCall,
  separator: "",
  closing: endCalls,
};

/** Sources: llama.cpp, common/chat.cpp; vLLM, kimi_k2_tool_parser.py. */
export const kimi: OutputFormatDefinition = {
  isUsedBy: (template) => template.includes(beginCalls),
  marks: [beginCalls, endCalls, beginCall, beginArguments, endCall],
  calls: { openings: [beginCalls, beginCall], read },
  shape,
  notations: [
    { kind: "json", mark: beginCalls, shape },
    { kind: "json", mark: beginCall, shape: { ...shape, opening: "", closing: "" } },
  ],
};

function* read(output: Output): Reading<boolean> {
  const { text } = output;
  yield* text.skip(beginCalls);
  if (!(yield* readCall(output))) return false;
  while (yield* text.attempt(readCall(output))) {}
  yield* text.skipClosing(endCalls);
  return true;
}

function* readCall(output: Output): Reading<boolean> {
  const { text } = output;
  if (!(yield* text.skipAfterSpace(beginCall))) return false;
  yield* text.takeSpace();
  yield* text.skip("functions.");
  const name = yield* output.readToolName();
  if (name === undefined) return false;
  // A counter numbers the calls of a conversation.
  if (yield* text.skip(":")) yield* text.takeWhile(/\d/);
  if (!(yield* text.skipAfterSpace(beginArguments))) return false;
  if (!(yield* readArguments(output, name))) return false;
  yield* text.skipClosing(endCall);
  return true;
}
