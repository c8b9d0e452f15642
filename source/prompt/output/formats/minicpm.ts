// MiniCPM 5: <function name="…"><param name="…">…</param></function>
import type { OutputFormatDefinition } from "../output-format.ts";
import { readMarkedCalls } from "../read-marked-call.ts";

const form = {
  beforeName: '<function name="',
  afterName: '">',
  beforeKey: '<param name="',
  afterKey: '">',
  afterValue: "</param>",
  verbatim: { open: "<![CDATA[", close: "]]>" },
  end: "</function>",
};

/** Source: llama.cpp, common/chat.cpp and tests/test-chat.cpp. */
export const minicpm: OutputFormatDefinition = {
  isUsedBy: (template) => template.includes(form.beforeName) && template.includes(form.beforeKey),
  marks: ["<function", "</function>", "<param", "</param>"],
  calls: {
    openings: [form.beforeName],
    read: (output) => readMarkedCalls(output, form),
  },
  notations: [{ kind: "marked", open: "", form, close: "" }],
};
