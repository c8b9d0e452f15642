// Tests the whole card for the pager: every text, and long lists cut.
import { expect, test } from "vitest";
import { cardText, modelfileSummary } from "../../../../source/ui/screens/models/card-text.ts";

const description = {
  name: "mine:latest",
  description: "It writes.",
  license: "MIT\n\nCopyright",
  system: undefined,
  parameters: "temperature 0.5",
  modelfile: "FROM x\nPARAMETER temperature 0.5",
  template: { origin: "gguf", language: "jinja", reason: "The file has one." },
  info: {
    "llama.block_count": 4,
    "general.name": "Mine",
    "tokenizer.ggml.tokens": Array.from({ length: 500 }, (_, at) => `t${at}`),
  },
};

test("has a section for each text that exists", () => {
  const text = cardText(description);
  expect(text).toContain("mine\n\n  It writes.");
  expect(text).toContain("Parameters\n\n  temperature 0.5");
  expect(text).toContain("Licence\n\n  MIT\n\n  Copyright");
  expect(text).not.toContain("System");
});

test("lists file metadata by name, and long lists as a count", () => {
  const text = cardText(description);
  expect(text).toContain("general.name  Mine\n  llama.block_count  4\n");
  expect(text).toContain("tokenizer.ggml.tokens  500 values");
});

test("has the Modelfile in a line, with the base name of its parent", () => {
  const text = 'FROM /store/blobs/tiny.gguf\nPARAMETER top_k 3\nSYSTEM """Be\n\nbrief."""\n# end';
  expect(modelfileSummary(text)).toBe("From tiny.gguf and 2 more commands; press i to view it");
  expect(modelfileSummary("FROM /store/blobs/sha256-0de275154806bb")).toContain(
    "From a local file",
  );
  expect(modelfileSummary("FROM tiny:latest")).toBe("From tiny; press i to view it");
});

test("counts commands, not the lines of their texts", () => {
  const license = 'LICENSE "Apache\n\nfrom here on\n\n   as is."';
  const text = `FROM tiny\n${license}\nPARAMETER stop "a"\nMESSAGE user """Hi\n"you"\n"""\nSYSTEM ""\n`;
  expect(modelfileSummary(text)).toBe("From tiny and 4 more commands; press i to view it");
});
