// Kimi K3: sections between <|open|>name<|sep|> and <|close|>name<|sep|>
import type { Output } from "../output.ts";
import type { OutputFormatDefinition } from "../output-format.ts";
import type { Reading } from "../output-text.ts";
import { readMarkedCalls } from "../read-marked-call.ts";

const open = (name: string) => `<|open|>${name}<|sep|>`;
const close = (name: string) => `<|close|>${name}<|sep|>`;

const form = {
  beforeName: '<|open|>call tool="',
  afterName: '"',
  beforeKey: '<|open|>argument key="',
  afterKey: '"',
  attributes: {
    end: "<|sep|>",
    isString: (attributes: string) => {
      const type = /type="(\w+)"/.exec(attributes)?.[1];
      return type === undefined ? undefined : type === "string";
    },
    ofArgument: (type: string) => ` type="${type}"`,
    ofName: ' index="1"',
  },
  afterValue: close("argument"),
  end: close("call"),
};

/** Marks outside of calls, which only begin and end sections. */
const sections = ["think", "response"].flatMap((name) => [open(name), close(name)]);
const silent = [close("tools"), open("message"), close("message")];

/**
 * The prompt ends inside `think`, or inside `response` if the model is not to think; both may be left
 * out and opened again. Source: llama.cpp, common/chat.cpp and tests/test-chat.cpp.
 */
export const kimiK3: OutputFormatDefinition = {
  isUsedBy: (template) => template.includes("<|open|>") && template.includes("<|sep|>"),
  marks: ["<|open|>", "<|close|>", "<|sep|>"],
  read,
  notations: [
    { kind: "marked", open: open("tools"), form, close: close("tools") + close("message") },
  ],
  thinking: { open: open("think"), close: close("think") },
};

function* read(output: Output, startsInThinking: boolean): Reading {
  const { text } = output;
  const marks = [...sections, ...silent, open("tools")];
  let isThought = startsInThinking;
  for (;;) {
    const pass = isThought ? output.thinking : output.content;
    const mark = yield* text.passUntil(marks, pass);
    if (mark === undefined) return;
    if (mark === open("tools") && !(yield* text.attempt(readCalls(output)))) pass(text.take(1));
    else if (mark !== open("tools")) text.take(mark.length);
    if (sections.includes(mark)) isThought = mark === open("think");
  }
}

function* readCalls(output: Output): Reading<boolean> {
  yield* output.text.skip(open("tools"));
  return output.hasTools && (yield* readMarkedCalls(output, form));
}
