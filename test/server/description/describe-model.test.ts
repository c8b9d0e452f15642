// Parameters as the text that clients of Ollama read.
import { expect, test } from "vitest";
import { parametersText } from "../../../source/server/description/describe-model.ts";

test("pads names to thirty columns, prints lists line by line and texts in Go's quotes", () => {
  const parameters = {
    temperature: 0.7,
    stop: ["<|im_end|>", 'a "b"\n\u0007'],
    num_ctx: 1_048_576,
    use_mmap: true,
    odd: { any: [1] },
    left_out: undefined,
  };
  expect(parametersText(parameters).split("\n")).toEqual([
    "num_ctx                        1048576",
    'odd                            {"any":[1]}',
    'stop                           "<|im_end|>"',
    'stop                           "a \\"b\\"\\n\\a"',
    "temperature                    0.7",
    "use_mmap                       true",
  ]);
  expect(parametersText({})).toBe("");
});
