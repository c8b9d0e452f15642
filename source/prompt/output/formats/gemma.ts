// Gemma 4: <|tool_call>call:name{key:<|"|>text<|"|>}<tool_call|>
import type { Output } from "../output.ts";
import type { OutputFormatDefinition } from "../output-format.ts";
import type { OutputText, Reading } from "../output-text.ts";
import { readArguments } from "../read-json.ts";
import { readArgumentList } from "../read-loose.ts";

const begin = "<|tool_call>";
const end = "<tool_call|>";
const quote = '<|"|>';
const beginChannel = "<|channel>";
const endChannel = "<channel|>";

const argumentList = {
  notation: { quotes: [quote], hasEscapes: false },
  // Smaller models sometimes write the second.
  separators: [":", "="],
  close: "}",
};

/**
 * Not JSON: keys are bare, and strings are unescaped, between two control tokens. After a call the
 * model starts the tool's answer itself and must be stopped. Sources: the chat template of
 * gemma-4-31B-it; vLLM, gemma4 parser.
 */
export const gemma: OutputFormatDefinition = {
  isUsedBy: (template) => template.includes(begin) && template.includes(end),
  marks: [begin, end, quote, "<|tool_response>"],
  stopTexts: ["<|tool_response>"],
  calls: {
    openings: [begin],
    read,
    strays: { marks: [beginChannel, endChannel], read: readStrayChannel },
  },
  shape: {
    opening: "",
    beforeName: `${begin}call:`,
    beforeArguments: "",
    afterArguments: end,
    separator: "",
    closing: "",
  },
  notations: [
    {
      kind: "listed",
      open: `${begin}call:`,
      afterName: "{",
      afterKey: ":",
      separator: ",",
      end: "}",
      callSeparator: undefined,
      close: end,
      quote,
    },
  ],
};

/** Reads thinking marks that the model repeats in the answer: an empty thought, or a mark alone. */
function* readStrayChannel(output: Output): Reading {
  const { text } = output;
  if ((yield* text.skip(endChannel)) || !(yield* text.skip(`${beginChannel}thought`))) {
    yield* text.skip(beginChannel);
    return;
  }
  yield* text.takeSpace();
  yield* text.passUntil([endChannel, begin], output.thinking);
  yield* text.skip(endChannel);
}

function* read(output: Output): Reading<boolean> {
  const { text } = output;
  yield* text.skip(begin);
  yield* text.takeSpace();
  if (!(yield* text.skip("call:"))) return false;
  const name = yield* output.readToolName();
  if (name === undefined) return false;
  const isCall = (yield* isJson(text))
    ? yield* readArguments(output, name)
    : yield* readBareArguments(output, name);
  if (isCall) yield* text.skipClosing(end);
  return isCall;
}

/** Returns true for calls forced by a grammar, which contain JSON with quoted keys. */
function* isJson(text: OutputText): Reading<boolean> {
  return yield* text.startsWith('{"');
}

function* readBareArguments(output: Output, name: string): Reading<boolean> {
  const { text } = output;
  if (!(yield* text.skipAfterSpace("{"))) return false;
  return yield* readArgumentList(text, argumentList, output.startCall(name));
}
