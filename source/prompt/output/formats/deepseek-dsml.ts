// DeepSeek V3.2 and V4: <｜DSML｜invoke name="…"> between <｜DSML｜function_calls> or tool_calls marks
import type { Output } from "../output.ts";
import type { OutputFormatDefinition } from "../output-format.ts";
import type { Reading } from "../output-text.ts";
import { readMarkedCalls } from "../read-marked-call.ts";

const mark = "｜DSML｜";
/** Names of the block in V3.2 and V4; both are read for either version. */
const blocks = ["function_calls", "tool_calls"] as const;

/** Each argument declares if it is a string. */
const form = {
  beforeName: `<${mark}invoke name="`,
  afterName: '"',
  beforeKey: `<${mark}parameter name="`,
  afterKey: '"',
  attributes: {
    end: ">",
    isString: (attributes: string) => /string="(true|false)"/.exec(attributes)?.[1] === "true",
    ofArgument: (type: string) => ` string="${type === "string"}"`,
    ofName: "",
  },
  afterValue: `</${mark}parameter>`,
  end: `</${mark}invoke>`,
};

/** Source: llama.cpp, common/chat.cpp and tests/test-chat.cpp. */
export const deepseekDsml: OutputFormatDefinition = {
  isUsedBy: (template) => template.includes(mark),
  marks: [mark],
  calls: { openings: blocks.map((block) => `<${mark}${block}>`), read },
  notations: blocks.map((block) => ({
    kind: "marked",
    open: `<${mark}${block}>`,
    form,
    close: `</${mark}${block}>`,
  })),
};

function* read(output: Output): Reading<boolean> {
  const { text } = output;
  const block = (yield* text.startsWith(`<${mark}${blocks[0]}>`)) ? blocks[0] : blocks[1];
  text.take(`<${mark}${block}>`.length);
  if (!(yield* readMarkedCalls(output, form))) return false;
  yield* text.skipClosing(`</${mark}${block}>`);
  return true;
}
