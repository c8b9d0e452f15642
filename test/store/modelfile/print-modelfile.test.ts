// The text of `show --modelfile`.
import { describe, expect, test } from "vitest";
import { defineModel, type ModelDefinition } from "../../../source/store/model-definition.ts";
import { parseModelfile } from "../../../source/store/modelfile/parse-modelfile.ts";
import { printModelfile } from "../../../source/store/modelfile/print-modelfile.ts";

const plain = defineModel({ from: ["./a.gguf"] });

test("prints commands in order, parameters by name, and stops in their order", () => {
  const definition: ModelDefinition = {
    from: ["./a.gguf", "./mmproj.gguf"],
    adapters: ["./lora.gguf"],
    drafts: ["./draft.gguf"],
    template: "{{ .Prompt }}\n",
    system: 'Say "hi".\n',
    licenses: ["MIT", "Second\n"],
    parameters: { top_k: 20, stop: ["z", " a"], temperature: 1e-7, num_ctx: 4096, use_mmap: false },
    messages: [
      { role: "user", content: "Hello" },
      { role: "assistant", content: "" },
    ],
    renderer: "r",
    parser: "p",
    requires: "1.2.3",
  };
  expect(printModelfile(definition, ["Made by a test.", "FROM b"])).toEqual({
    unprintable: [],
    text: `# Made by a test.
# FROM b

FROM ./a.gguf
FROM ./mmproj.gguf
ADAPTER ./lora.gguf
DRAFT ./draft.gguf
TEMPLATE "{{ .Prompt }}
"
SYSTEM """Say "hi".
"""
RENDERER r
PARSER p
REQUIRES 1.2.3
PARAMETER num_ctx 4096
PARAMETER stop z
PARAMETER stop " a"
PARAMETER temperature 1e-7
PARAMETER top_k 20
PARAMETER use_mmap false
LICENSE MIT
LICENSE "Second
"
MESSAGE user Hello
MESSAGE assistant ""
`,
  });
});

describe("a value is quoted only if necessary", () => {
  test.each([
    ["plain words", "SYSTEM plain words"],
    ['inner "quotes"', 'SYSTEM inner "quotes"'],
    ["# no comment", "SYSTEM # no comment"],
    ["'single'", "SYSTEM 'single'"],
    ["", 'SYSTEM ""'],
    [" x", 'SYSTEM " x"'],
    ["x\t", 'SYSTEM "x\t"'],
    ["a\nb", 'SYSTEM "a\nb"'],
    ["a\r", 'SYSTEM "a\r"'],
    ['"quoted"', 'SYSTEM """"quoted""""'],
    ['"', 'SYSTEM """""""'],
    ['""', 'SYSTEM """"""""'],
    ['a"\nb', 'SYSTEM """a"\nb"""'],
    ["\u3000x\u00a0", "SYSTEM \u3000x\u00a0"],
  ])("%j", (system, line) => {
    const { text } = printModelfile({ ...plain, system });
    expect(text).toBe(`FROM ./a.gguf\n${line}\n`);
    expect(parseModelfile(text).definition.system).toBe(system);
  });
});

describe("what no Modelfile can express", () => {
  test.each<[string, Partial<ModelDefinition>, string]>([
    ["system", { system: 'a"""\nb' }, "quotes at the end of a line"],
    ["template", { template: "\ud800" }, "surrogate"],
    ["licenses[1]", { licenses: ["MIT", 'x """\n y'] }, "quotes"],
    ["messages[0]", { messages: [{ role: "user", content: '"""\n' }] }, "quotes"],
    ["parameters.stop[1]", { parameters: { stop: ["a", '"""\r'] } }, "quotes"],
    ["parameters.stop", { parameters: { stop: [] } }, "empty list"],
    ["parameters.temperature", { parameters: { temperature: Number.NaN } }, "must be a number"],
    ["parameters.num_ctx", { parameters: { num_ctx: 1.5 } }, "whole number"],
    ["parameters.top_k", { parameters: { top_k: -1 } }, "must not be negative"],
    ["from", { from: [] }, "no model"],
    ["from[0]", { from: [""] }, "empty"],
    ["adapters", { adapters: ["a", "b"] }, "several"],
    ["requires", { requires: "soon" }, "version"],
    ["requires", { requires: "v1.2.3" }, "version"],
  ])("%s is named, also in a comment, and nothing else is lost", (field, part, reason) => {
    const { text, unprintable } = printModelfile({ ...plain, ...part });
    expect(unprintable).toEqual([{ field, reason: expect.stringContaining(reason) }]);
    expect(text).toContain(`# ${field} cannot be written in a Modelfile: `);
    const others = parseModelfile(`FROM ./other.gguf\n${text}`).definition;
    expect(others.system).toBeUndefined();
    expect(others.template).toBeUndefined();
    expect(others.messages).toEqual([]);
    expect(others.licenses).toEqual(part.licenses?.slice(0, 1) ?? []);
  });

  test("a foreign parameter cannot break out of its comment", () => {
    const parameters = JSON.parse('{"x\\nFROM evil":1}');
    const { text, unprintable } = printModelfile({ ...plain, parameters });
    expect(unprintable).toHaveLength(1);
    expect(parseModelfile(text).definition.from).toEqual(plain.from);
  });

  test("a comment of several lines stays a comment", () => {
    const { text } = printModelfile(plain, ["one\nFROM evil\r\ud800"]);
    expect(text).toBe("# one\n# FROM evil\n# \ufffd\n\nFROM ./a.gguf\n");
    expect(parseModelfile(text).definition.from).toEqual(plain.from);
  });
});
