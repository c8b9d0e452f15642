// Formats that write a call's name and arguments between XML-like marks.
import type { Output } from "../output.ts";
import { jsonCallShape, type OutputFormatDefinition } from "../output-format.ts";
import type { Reading } from "../output-text.ts";
import type { CallSyntax } from "../read-answer.ts";
import { readJsonCalls } from "../read-json-call.ts";
import { type MarkedCallForm, readMarkedCalls } from "../read-marked-call.ts";
import { functionForm, hermes } from "./hermes.ts";

interface MarkedFormat {
  isUsedBy(template: string): boolean;
  open: string;
  close: string;
  form: MarkedCallForm;
  /** Parts of the form that are tokens of the model's own. */
  marks?: readonly string[];
}

/** Defines a format. Grammars force JSON inside its marks, since free text cannot follow a schema. */
export function markedFormat({
  isUsedBy,
  open,
  close,
  form,
  marks = [],
}: MarkedFormat): OutputFormatDefinition {
  return {
    isUsedBy,
    marks: [open, close, ...marks],
    calls: markedCalls(open, close, form),
    shape: { ...jsonCallShape(`${open}\n`, `\n${close}`), separator: "\n" },
    notations: [{ kind: "marked", open, form, close: form.end === close ? "" : close }],
  };
}

function markedCalls(open: string, close: string, form: MarkedCallForm): CallSyntax {
  return {
    openings: [open],
    *read(output: Output): Reading<boolean> {
      const { text } = output;
      yield* text.skip(open);
      yield* text.takeSpace();
      const isJson = yield* text.startsWith("{");
      const isCall = isJson ? yield* readJsonCalls(output) : yield* readMarkedCalls(output, form);
      // The form's own end may already be the last mark.
      if (isCall && (isJson || form.end !== close)) yield* text.skipClosing(close);
      return isCall;
    },
  };
}

/**
 * Qwen3-Coder, Qwen 3.5, Nemotron 3 and Step 3.5 write this inside the tags that Hermes puts JSON in;
 * both are read. Sources: vLLM, qwen3coder_tool_parser.py; llama.cpp, tests/test-chat.cpp.
 */
export const qwenCoder = {
  ...hermes,
  isUsedBy: (template) =>
    ["<tool_call>", "<function=", "<parameter="].every((text) => template.includes(text)),
  notations: [
    { kind: "marked", open: "<tool_call>", form: functionForm, close: "</tool_call>" },
    { kind: "marked", open: "", form: functionForm, close: "</tool_call>" },
  ],
} satisfies OutputFormatDefinition;

/** Seed-OSS. Source: llama.cpp, tests/test-chat.cpp. */
export const seed = markedFormat({
  isUsedBy: (template) => template.includes("<seed:tool_call>"),
  open: "<seed:tool_call>",
  close: "</seed:tool_call>",
  form: functionForm,
});

/** MiniMax M2. Source: llama.cpp, common/chat-parser.cpp and tests/test-chat.cpp. */
export const minimax = markedFormat({
  isUsedBy: (template) => template.includes("<minimax:tool_call>"),
  open: "<minimax:tool_call>",
  close: "</minimax:tool_call>",
  form: {
    beforeName: '<invoke name="',
    afterName: '">',
    beforeKey: '<parameter name="',
    afterKey: '">',
    afterValue: "</parameter>",
    end: "</invoke>",
  },
});

/** GLM 4.5 to 4.7. Source: llama.cpp, common/chat-parser.cpp and tests/test-chat.cpp. */
export const glm = markedFormat({
  isUsedBy: (template) => template.includes("<arg_key>"),
  open: "<tool_call>",
  close: "</tool_call>",
  form: {
    beforeName: "",
    afterName: "",
    beforeKey: "<arg_key>",
    afterKey: "</arg_key>",
    beforeValue: "<arg_value>",
    afterValue: "</arg_value>",
    end: "</tool_call>",
  },
  marks: ["<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>"],
});
