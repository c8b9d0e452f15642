// Muse: messages to a recipient, " to=user<|message|>…<|eot|>"
import type { Output } from "../output.ts";
import type { OutputFormatDefinition } from "../output-format.ts";
import type { Reading } from "../output-text.ts";
import { readMarkedCalls } from "../read-marked-call.ts";

const start = "<|start|>assistant";
const startOfMessage = "<|message|>";
const ends = ["<|eom|>", "<|eot|>", "<|start|>"];
/** Longer than any header with a tool's name. */
const maxHeaderLength = 256;

const form = {
  beforeName: '<atem:invoke name="',
  afterName: '">',
  beforeKey: '<atem:parameter name="',
  afterKey: '">',
  afterValue: "</atem:parameter>",
  end: "</atem:invoke>",
};

/**
 * A message to `self` is thinking, one to `user` content, and one to a tool contains a call; the prompt
 * ends with `<|start|>assistant`. Messages to other recipients are no calls. Source: llama.cpp,
 * common/chat.cpp and tests/test-chat.cpp.
 */
export const muse: OutputFormatDefinition = {
  isUsedBy: (template) => template.includes("<atem:function_calls>"),
  marks: ["<|start|>", startOfMessage, "<|eom|>"],
  stopTexts: ["<|eot|>"],
  read,
  notations: [
    {
      kind: "marked",
      recipient: (tool) => ` to=${tool}${startOfMessage}`,
      open: "<atem:function_calls>",
      form,
      close: "</atem:function_calls>",
    },
  ],
  frame: { open: ` to=user${startOfMessage}`, close: "" },
  thinking: { open: ` to=self${startOfMessage}`, close: `<|eom|>${start}` },
};

function* read(output: Output): Reading {
  const { text } = output;
  for (;;) {
    if (yield* text.attempt(readMessage(output))) continue;
    if (text.isOver) return;
    output.content(text.take(1));
    yield* text.passUntil(ends, output.content);
  }
}

function* readMessage(output: Output): Reading<boolean> {
  const { text } = output;
  yield* text.skip(start);
  const recipient = yield* readRecipient(output);
  if (recipient === undefined) return false;
  if (recipient !== "self" && output.isTool(recipient)) {
    yield* text.skipAfterSpace("<atem:function_calls>");
    if (!(yield* readMarkedCalls(output, form))) return false;
    yield* text.skipClosing("</atem:function_calls>");
    yield* text.takeSpace();
  } else {
    yield* text.passUntil(ends, recipient === "self" ? output.thinking : output.content);
  }
  const end = yield* text.oneOf(ends.slice(0, 2));
  text.take(end?.length ?? 0);
  return true;
}

/** Reads a header up to and including `<|message|>`; returns undefined if none follows. */
function* readRecipient({ text }: Output): Reading<string | undefined> {
  let header = "";
  if ((yield* text.oneOf([" to=", startOfMessage])) === undefined) return undefined;
  const mark = yield* text.passUntil([startOfMessage, "\n"], (piece) => {
    header += piece;
  });
  if (mark !== startOfMessage || header.length > maxHeaderLength) return undefined;
  text.take(mark.length);
  return header === "" ? "user" : header.slice(" to=".length).trim();
}
