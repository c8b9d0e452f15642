// Apertus: <|tools_prefix|>[{"name": {…}}]<|tools_suffix|>
import type { Output } from "../output.ts";
import type { OutputFormatDefinition } from "../output-format.ts";
import type { Reading } from "../output-text.ts";
import { readArguments, readJsonString } from "../read-json.ts";

const begin = "<|tools_prefix|>";
const end = "<|tools_suffix|>";

/** The tool's name is the object's key. Source: llama.cpp's template for Apertus-8B-Instruct. */
export const apertus: OutputFormatDefinition = {
  isUsedBy: (template) => template.includes(begin),
  marks: [begin, end],
  calls: { openings: [begin], read },
  shape: {
    opening: `${begin}[`,
    beforeName: '{"',
    beforeArguments: '": ',
    afterArguments: "}",
    separator: ", ",
    closing: `]${end}`,
  },
};

function* read(output: Output): Reading<boolean> {
  const { text } = output;
  yield* text.skip(begin);
  const isList = yield* text.skipAfterSpace("[");
  if (!(yield* readCall(output))) return false;
  while (yield* text.attempt(readNextCall(output))) {}
  if (isList) yield* text.skipAfterSpace("]");
  yield* text.skipClosing(end);
  return true;
}

function* readNextCall(output: Output): Reading<boolean> {
  if (!(yield* output.text.skipAfterSpace(","))) return false;
  return yield* readCall(output);
}

function* readCall(output: Output): Reading<boolean> {
  const { text } = output;
  if (!(yield* text.skipAfterSpace("{"))) return false;
  yield* text.takeSpace();
  const name = yield* readJsonString(text);
  if (name === undefined || !output.isTool(name)) return false;
  if (!(yield* text.skipAfterSpace(":"))) return false;
  if (!(yield* readArguments(output, name))) return false;
  yield* text.skipAfterSpace("}");
  return true;
}
