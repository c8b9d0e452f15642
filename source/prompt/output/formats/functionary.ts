// Functionary: >>>name and a JSON object on the next line (3.2), <function=name>{…}</function> (3.1)
import type { Output } from "../output.ts";
import type { OutputFormatDefinition } from "../output-format.ts";
import type { Reading } from "../output-text.ts";
import { readArguments } from "../read-json.ts";

/**
 * Version 3.2. The prompt ends with `>>>`, so an output begins with a recipient: `all` for content or
 * the name of a tool. Sources: the model card of functionary-medium-v3.2; llama.cpp,
 * common/chat.cpp and tests/test-chat.cpp.
 */
export const functionaryRecipients: OutputFormatDefinition = {
  isUsedBy: (template) => template.includes(">>>all"),
  stopTexts: ["<|eom_id|>"],
  read: readRecipients,
  shape: {
    opening: "",
    beforeName: "",
    beforeArguments: "\n",
    afterArguments: "",
    separator: ">>>",
    closing: "",
  },
  frame: { open: "all\n", close: "" },
};

function* readRecipients(output: Output): Reading {
  const { text } = output;
  yield* text.attempt(readRecipient(output, true));
  while ((yield* text.passUntil([">>>"], output.content)) !== undefined) {
    if (!(yield* text.attempt(readRecipient(output, false)))) output.content(text.take(1));
  }
}

/** Reads `all` and its line break, or a whole call. */
function* readRecipient(output: Output, isAtStart: boolean): Reading<boolean> {
  const { text } = output;
  if (!(yield* text.skip(">>>")) && !isAtStart) return false;
  if (yield* text.skip("all\n")) return true;
  const name = yield* output.readToolName();
  if (name === undefined || !(yield* text.skip("\n"))) return false;
  if (!(yield* readArguments(output, name))) return false;
  yield* text.attempt(readSpaceBeforeRecipient(output));
  return true;
}

/** Keeps white space after a call only if content follows it. */
function* readSpaceBeforeRecipient({ text }: Output): Reading<boolean> {
  yield* text.takeSpace();
  return text.isOver || (yield* text.startsWith(">>>"));
}

/** Version 3.1, for Llama 3.1. Sources: the model card; llama.cpp, tests/test-chat.cpp. */
export const functionaryTags: OutputFormatDefinition = {
  isUsedBy: (template) => template.includes("<function=") && !template.includes("<parameter="),
  stopTexts: ["<|eom_id|>"],
  calls: { openings: ["<function="], read: readTagged },
  shape: {
    opening: "",
    beforeName: "<function=",
    beforeArguments: ">",
    afterArguments: "</function>",
    separator: "\n",
    closing: "",
  },
};

function* readTagged(output: Output): Reading<boolean> {
  const { text } = output;
  yield* text.skip("<function=");
  const name = yield* output.readToolName();
  if (name === undefined || !(yield* text.skip(">"))) return false;
  if (!(yield* readArguments(output, name))) return false;
  yield* text.skipClosing("</function>");
  return true;
}
