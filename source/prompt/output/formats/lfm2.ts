// LFM2 and LFM2.5: <|tool_call_start|>[name(key="value")]<|tool_call_end|>
import { pythonNotation } from "../loose-value.ts";
import type { Output } from "../output.ts";
import { listShape, type OutputFormatDefinition } from "../output-format.ts";
import type { OutputText, Reading } from "../output-text.ts";
import { readJsonCalls } from "../read-json-call.ts";
import { readArgumentList } from "../read-loose.ts";

const begin = "<|tool_call_start|>";
const end = "<|tool_call_end|>";

/**
 * Calls are in Python; on request the models also write them as JSON in the same marks, which grammars
 * use to force them. Sources: the model card of LFM2; llama.cpp, tests/test-chat.cpp.
 */
export const lfm2: OutputFormatDefinition = {
  isUsedBy: (template) =>
    // LFM2.5's template lists the tools without marks.
    [begin, "<|tool_list_start|>", "List of tools: ["].some((text) => template.includes(text)),
  marks: [begin, end],
  calls: { openings: [begin], read },
  shape: listShape(begin, end),
  notations: [
    {
      kind: "listed",
      open: `${begin}[`,
      afterName: "(",
      afterKey: "=",
      separator: ", ",
      end: ")",
      callSeparator: ", ",
      close: `]${end}`,
      quote: undefined,
    },
  ],
};

function* read(output: Output): Reading<boolean> {
  const { text } = output;
  yield* text.skip(begin);
  yield* text.takeSpace();
  const isCall = (yield* isJson(text))
    ? yield* readJsonCalls(output)
    : yield* readPythonCalls(output);
  if (isCall) yield* text.skipClosing(end);
  return isCall;
}

function* isJson(text: OutputText): Reading<boolean> {
  return (yield* text.oneOf(["{", "[{"])) !== undefined;
}

function* readPythonCalls(output: Output): Reading<boolean> {
  const { text } = output;
  const isList = yield* text.skip("[");
  if (!(yield* readPythonCall(output))) return false;
  while (yield* text.attempt(readNextPythonCall(output))) {}
  if (isList) yield* text.skipAfterSpace("]");
  return true;
}

function* readNextPythonCall(output: Output): Reading<boolean> {
  if (!(yield* output.text.skipAfterSpace(","))) return false;
  return yield* readPythonCall(output);
}

function* readPythonCall(output: Output): Reading<boolean> {
  const { text } = output;
  yield* text.takeSpace();
  const name = yield* output.readToolName();
  if (name === undefined || !(yield* text.skip("("))) return false;
  const list = { notation: pythonNotation, separators: ["="], close: ")" };
  return yield* readArgumentList(text, list, output.startCall(name));
}
