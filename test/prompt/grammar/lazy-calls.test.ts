// Grammars after a mark, against the calls that models write.
import { beforeAll, describe, expect, it } from "vitest";
import type { ToolDefinition } from "../../../source/prompt/chat-message.ts";
import {
  checkToolSchemas,
  type LazyGrammar,
  lazyCallGrammars,
} from "../../../source/prompt/grammar/lazy-calls.ts";
import { formatTable, type OutputFormat } from "../../../source/prompt/output/format-table.ts";
import { familyOutputs } from "../output/recorded/families.ts";
import { recordedTools } from "../output/recorded/recorded-output.ts";
import { type Accepts, grammarReader } from "./llama-grammar.ts";

let read: (grammar: string) => Accepts;
beforeAll(async () => {
  read = await grammarReader();
});

const lookUp: ToolDefinition = {
  name: "look_up",
  description: undefined,
  parameters: {
    type: "object",
    properties: {
      word: { type: "string" },
      limit: { type: "integer" },
      exact: { type: "boolean" },
      kind: { type: "string", enum: ["noun", "verb"] },
    },
    required: ["word"],
  },
};
const ping: ToolDefinition = { name: "ping", description: undefined, parameters: undefined };

function grammarsOf(output: OutputFormat, tools = [lookUp, ping, save], parallelToolCalls = true) {
  return lazyCallGrammars({ tools, parallelToolCalls, output });
}

/** Returns true if the first grammar whose mark an output has accepts the rest of it. */
function holds(grammars: readonly LazyGrammar[], output: string): boolean {
  const [first] = grammars
    .map((each) => ({ each, at: output.indexOf(each.mark) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at);
  if (first === undefined) throw new Error(`no mark in ${output}`);
  const { mark } = first.each;
  return read(first.each.write())(output.slice(first.at + mark.length));
}

const hermes = { name: "hermes" } as const;
const json = (name: string, args: string) =>
  `<tool_call>\n{"name": "${name}", "arguments": ${args}}\n</tool_call>`;
const coder = (name: string, args: Record<string, string>) =>
  `<tool_call>\n<function=${name}>\n${Object.entries(args)
    .map(([key, value]) => `<parameter=${key}>\n${value}\n</parameter>\n`)
    .join("")}</function>\n</tool_call>`;

/** Every tag of MiniMax M3 follows its token. */
const elements = (name: string, args: string) =>
  `<tool_call>\n<invoke name="${name}">${args}</invoke>\n</tool_call>`.replaceAll(
    "<",
    "]<]minimax[>[<",
  );
const save: ToolDefinition = {
  name: "save",
  description: undefined,
  parameters: {
    properties: {
      place: {
        type: "object",
        properties: { city: { type: "string" }, floor: { type: "integer" } },
        required: ["city"],
      },
      tags: { type: "array", items: { type: "string", enum: ["old", "new"] } },
      depth: { anyOf: [{ type: "number" }, { type: "null" }] },
      notes: { type: "object" },
    },
    required: ["place"],
  },
};
const oslo = "<place><city>Oslo</city></place>";

const accepted: Record<string, [format: keyof typeof formatTable, written: string]> = {
  "in JSON": ["hermes", json("look_up", '{"word": "a"}')],
  "in JSON without spaces": ["hermes", '<tool_call>{"name":"ping","arguments":{}}</tool_call>'],
  twice: ["hermes", `${json("ping", "{}")}\n${json("look_up", '{"word": ""}')}`],
  "with an id": ["mistral", '[TOOL_CALLS][{"name": "ping", "arguments": {}, "id": "123456789"}]'],
  "in XML": ["qwenCoder", coder("look_up", { word: "two\nlines", limit: "3" })],
  "in XML, another order": ["qwenCoder", coder("look_up", { kind: "verb", word: "a" })],
  "twice in XML": ["qwenCoder", `${coder("ping", {})}\n${coder("ping", {})}`],
  "in Python": [
    "lfm2",
    '<|tool_call_start|>[look_up(word="a", exact=True), ping()]<|tool_call_end|>',
  ],
  "of Gemma": ["gemma", '<|tool_call>call:look_up{word:<|"|>a "b"<|"|>,limit:3}<tool_call|>'],
  "of gpt-oss": [
    "harmony",
    "<|channel|>commentary to=functions.ping <|constrain|>json<|message|>{}",
  ],
  "of Functionary": ["functionaryRecipients", 'all\nHm.>>>look_up\n{"word": "a"}'],
  "with a counter": [
    "kimi",
    "<|tool_calls_section_begin|><|tool_call_begin|>functions.ping:12<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>",
  ],
  "in elements": ["minimaxM3", elements("look_up", '<word>a > "b"\n</word><limit>3</limit>')],
  "in elements, without arguments": ["minimaxM3", elements("ping", "")],
  "in elements within elements": [
    "minimaxM3",
    elements(
      "save",
      "<tags><item>old</item>\n<item>new</item></tags><place><floor>2</floor><city></city></place><depth>1.5</depth>",
    ),
  ],
  "in elements that no schema tells of": [
    "minimaxM3",
    elements("save", `${oslo}<notes><any><item>x</item><item>y</item></any></notes>`),
  ],
};

const refused: Record<string, [format: keyof typeof formatTable, written: string]> = {
  "of another tool": ["hermes", json("nothing", "{}")],
  "without what is required": ["hermes", json("look_up", "{}")],
  "with an unknown argument": ["hermes", json("look_up", '{"word": "a", "page": 1}')],
  "with text after it": ["hermes", `${json("ping", "{}")} Done.`],
  "in XML without what is required": ["qwenCoder", coder("look_up", { limit: "3" })],
  "in XML with an invalid number": ["qwenCoder", coder("look_up", { word: "a", limit: "x" })],
  "in XML with another word than the listed": [
    "qwenCoder",
    coder("look_up", { word: "a", kind: "x" }),
  ],
  "in Python with another argument": [
    "lfm2",
    "<|tool_call_start|>[look_up(page=1)]<|tool_call_end|>",
  ],
  "in elements without what is required": ["minimaxM3", elements("look_up", "<limit>3</limit>")],
  "in elements twice": ["minimaxM3", elements("look_up", "<word>a</word><word>b</word>")],
  "in elements, an invalid number": ["minimaxM3", elements("save", `${oslo}<depth>x</depth>`)],
  "in elements, text for an object": ["minimaxM3", elements("save", "<place>Oslo</place>")],
  "in elements within elements, without what is required": [
    "minimaxM3",
    elements("save", "<place><floor>2</floor></place>"),
  ],
  "in elements within elements, another word than the listed": [
    "minimaxM3",
    elements("save", `${oslo}<tags><item>x</item></tags>`),
  ],
};

describe("a call after its mark", () => {
  it.each(Object.entries(accepted))("is accepted %s", (_, [name, written]) => {
    expect(holds(grammarsOf({ name }), written)).toBe(true);
  });

  it.each(Object.entries(refused))("is not accepted %s", (_, [name, written]) => {
    expect(holds(grammarsOf({ name }), written)).toBe(false);
  });

  it("comes alone where only one is wanted", () => {
    const grammars = grammarsOf(hermes, [ping], false);
    expect(holds(grammars, json("ping", "{}"))).toBe(true);
    expect(holds(grammars, `${json("ping", "{}")}\n${json("ping", "{}")}`)).toBe(false);
  });

  it("may have more arguments than can be put into every order", () => {
    const names = ["a", "b", "c", "d", "e", "f"];
    const many = {
      ...lookUp,
      parameters: {
        properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
        required: ["f"],
      },
    };
    const grammars = grammarsOf({ name: "qwenCoder" }, [many]);
    expect(holds(grammars, coder("look_up", { f: "1", a: "2", c: "3" }))).toBe(true);
    expect(holds(grammars, coder("look_up", {}))).toBe(false);
    expect(holds(grammars, coder("look_up", { g: "1" }))).toBe(false);
  });
});

describe("recorded calls", () => {
  // Leaves out a call with a text where the schema requires a number.
  const other = "DeepSeek V4, text that looks like a number";
  const recorded = familyOutputs.filter(
    ({ about, calls }) => calls !== undefined && about !== other,
  );

  it.each(recorded.map((each) => [each.about, each] as const))("%s", (_, { format, output }) => {
    expect(holds(grammarsOf(format, recordedTools), output)).toBe(true);
  });
});

describe("the marks", () => {
  it("exist for every format with calls", () => {
    const names = Object.keys(formatTable) as Array<keyof typeof formatTable>;
    const without = names.filter((name) => grammarsOf({ name }).length === 0);
    expect(without).toEqual([]);
  });

  it("count only at the beginning if a call has no mark", () => {
    const grammars = grammarsOf({ name: "llama" });
    expect(grammars.map(({ mark, isOnlyAtStart }) => [mark, isOnlyAtStart])).toEqual([
      ['{"name": "', true],
      ['{"name":"', true],
    ]);
  });

  it("are none without tools, and in a format without calls", () => {
    expect(grammarsOf(hermes, [])).toEqual([]);
    expect(grammarsOf({ name: "plain" })).toEqual([]);
  });

  it("are none if arguments are written one by one and their names are unknown", () => {
    const open = { ...ping, parameters: { type: "object" } };
    expect(grammarsOf({ name: "lfm2" }, [open])).toEqual([]);
    expect(holds(grammarsOf(hermes, [open]), json("ping", '{"any": 1}'))).toBe(true);
  });

  it("cannot precede a schema that no grammar can express", async () => {
    const broken = { ...ping, parameters: { properties: { a: { $ref: "https://x.test/y" } } } };
    await expect(checkToolSchemas([broken])).rejects.toThrow(/tool "ping".*\/properties\/a\/\$ref/);
  });

  it.each([
    ["not", { not: { required: ["a"] } }],
    ["if", { if: { required: ["a"] }, else: { required: ["b"] } }],
    ["$dynamicRef", { properties: { a: { $dynamicRef: "#node" } } }],
  ])("cannot precede a schema whose %s would be ignored", async (keyword, parameters) => {
    const check = checkToolSchemas([{ ...ping, parameters }]);
    await expect(check).rejects.toThrow(`\`${keyword}\``);
  });

  it("precede schemas as real clients send them", async () => {
    const parameters = {
      $schema: "http://json-schema.org/draft-07/schema#",
      title: "Ping",
      type: "object",
      properties: {
        a: { type: "string", format: "uri", default: "x:y", examples: ["x:z"], deprecated: true },
        b: { type: "array", items: { type: "string" }, uniqueItems: true, contains: {} },
        c: { type: "object", patternProperties: { "^x-": {} }, additionalProperties: { not: {} } },
        d: { type: "string", contentEncoding: "base64", "x-order": 1 },
      },
      dependentRequired: { a: ["b"] },
      additionalProperties: false,
    };
    await expect(checkToolSchemas([{ ...ping, parameters }])).resolves.toBeUndefined();
  });
});

describe("a call without marks", () => {
  const options = { tools: [lookUp, ping], parallelToolCalls: true, output: hermes };
  const loose = lazyCallGrammars({ ...options, readsLooseCalls: true }).filter(
    ({ isCompact }) => isCompact,
  );
  const behind = (mark: string, options = loose) => {
    const grammar = options.find((each) => each.mark === mark);
    if (grammar === undefined) throw new Error(`no mark ${mark}`);
    return read(grammar.write());
  };

  it("follows the tool's schema from its arguments on", () => {
    const accepts = behind('{"name":"look_up","arguments":');
    expect(accepts(' {"word": "x", "kind": "noun"}}')).toBe(true);
    expect(accepts('\n  {\n    "word": "x"\n  }\n}')).toBe(true);
    expect(accepts(' {"kind": "noun"}}')).toBe(false);
    expect(accepts(' {"word": "x"}} That is a call.')).toBe(false);
  });

  it("may be followed by others, and by the end of what stands around it", () => {
    expect(
      behind('{"name":"look_up","parameters":')(
        '{"word": "x"}}\n{"name": "ping", "arguments": {}}',
      ),
    ).toBe(true);
    expect(
      behind('[{"name":"look_up","arguments":')(
        '{"word": "x"}}, {"name": "ping", "arguments": {}}]',
      ),
    ).toBe(true);
    expect(behind('<tool_call>{"name":"ping","arguments":')("{}}\n</tool_call>")).toBe(true);
  });

  it("has no grammar unless such calls are read", () => {
    expect(lazyCallGrammars(options).some(({ isCompact }) => isCompact)).toBe(false);
  });
});
