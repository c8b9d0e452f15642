// Llama 3: {"name": …, "parameters": {…}} as the whole answer, or after <|python_tag|>.
import { pythonNotation } from "../loose-value.ts";
import type { Output } from "../output.ts";
import { jsonCallShape, type OutputFormatDefinition } from "../output-format.ts";
import type { Reading } from "../output-text.ts";
import { readJsonCalls } from "../read-json-call.ts";
import { readArgumentList } from "../read-loose.ts";

/**
 * Llama 3.1, 3.2 and 3.3. Built-in tools are called as `<|python_tag|>name.call(key="value")`. An
 * answer that begins with `{` is held back only until it is clear whether it names a tool. Sources:
 * Meta's model cards; llama.cpp, tests/test-chat.cpp; vLLM, llama_tool_parser.py.
 */
export const llama: OutputFormatDefinition = {
  isUsedBy: (template) =>
    template.includes("<|python_tag|>") ||
    (template.includes("<|start_header_id|>") && /["']parameters\\?["']/.test(template)),
  marks: ["<|python_tag|>"],
  stopTexts: ["<|eom_id|>"],
  calls: { openings: ["<|python_tag|>"], openingsAtStart: ["{", "[{"], read },
  shape: jsonCallShape("", "", { name: "name", arguments: "parameters" }),
};

function* read(output: Output): Reading<boolean> {
  const { text } = output;
  if (!(yield* text.skip("<|python_tag|>"))) return yield* readJsonCalls(output, { isBare: true });
  yield* text.takeSpace();
  const name = yield* output.readToolName();
  if (name === undefined) return yield* readJsonCalls(output);
  if (!(yield* text.skip(".call("))) return false;
  const list = { notation: pythonNotation, separators: ["="], close: ")" };
  return yield* readArgumentList(text, list, output.startCall(name));
}
