// Mistral: [TOOL_CALLS] with a JSON list, or with name[ARGS]{…}
import type { Output } from "../output.ts";
import { listShape, type OutputFormatDefinition, type ToolCallShape } from "../output-format.ts";
import type { Reading } from "../output-text.ts";
import { readArguments } from "../read-json.ts";
import { readJsonCalls } from "../read-json-call.ts";

/**
 * `[TOOL_CALLS][{"name": …, "arguments": {…}, "id": …}]` up to Mistral Small 3.1;
 * `[TOOL_CALLS]name[ARGS]{…}` since, in some versions with `[CALL_ID]id` after the name. Sources:
 * llama.cpp, common/chat.cpp and tests/test-chat.cpp; vLLM, mistral_tool_parser.py.
 */
const common = {
  marks: ["[TOOL_CALLS]", "[ARGS]", "[CALL_ID]"],
  calls: { openings: ["[TOOL_CALLS]"], read },
} as const;

export const mistral: OutputFormatDefinition = {
  ...common,
  isUsedBy: (template) => template.includes("[TOOL_CALLS]"),
  shape: listShape("[TOOL_CALLS]", ""),
};

const namedShape: ToolCallShape = {
  opening: "",
  beforeName: "[TOOL_CALLS]",
  beforeArguments: "[ARGS]",
  afterArguments: "",
  separator: "",
  closing: "",
};

/** Newer form; both are read for either version. */
export const mistralNamed: OutputFormatDefinition = {
  ...common,
  isUsedBy: (template) => template.includes("[TOOL_CALLS]") && template.includes("[ARGS]"),
  shape: namedShape,
  notations: [
    {
      kind: "json",
      mark: "[TOOL_CALLS]",
      shape: namedShape,
      header: '("[CALL_ID]" [A-Za-z0-9]{1,9})?',
    },
  ],
};

function* read(output: Output): Reading<boolean> {
  const { text } = output;
  yield* text.skip("[TOOL_CALLS]");
  yield* text.takeSpace();
  const name = yield* output.readToolName();
  if (name === undefined) return yield* readJsonCalls(output);
  if (yield* text.skip("[CALL_ID]")) yield* text.takeWhile(/\w/);
  yield* text.skip("[ARGS]");
  return yield* readArguments(output, name);
}
