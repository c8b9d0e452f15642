// Grammars of whole answers: thinking first, then JSON or calls that the parser reads.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ToolDefinition } from "../../../source/prompt/chat-message.ts";
import {
  type AnswerGrammarOptions,
  answerGrammar,
} from "../../../source/prompt/grammar/answer-grammar.ts";
import {
  formatTable,
  type OutputFormat,
  toolCallShape,
} from "../../../source/prompt/output/format-table.ts";
import { loadTiny, type Tiny } from "../../support/load-tiny.ts";
import { addUp, piecesOf } from "../output/read-pieces.ts";
import { type Accepts, grammarReader } from "./llama-grammar.ts";

let readGrammar: (grammar: string) => Accepts;
let tiny: Tiny;
beforeAll(async () => {
  readGrammar = await grammarReader();
  tiny = await loadTiny({ slots: 1 });
});
afterAll(async () => {
  await tiny.runner.stop();
});

const think = { open: "<think>", close: "</think>" };
const tools: ToolDefinition[] = [
  {
    name: "get_weather",
    description: undefined,
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
  { name: "get_time", description: undefined, parameters: undefined },
];
const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };

const plainOptions: AnswerGrammarOptions = {
  format: undefined,
  tools: [],
  toolChoice: "auto",
  parallelToolCalls: true,
  output: { name: "hermes" },
  thinking: undefined,
  startsInThinking: false,
};

function grammarOf(options: Partial<AnswerGrammarOptions>): string {
  const grammar = answerGrammar({ ...plainOptions, ...options });
  if (grammar === undefined) throw new Error("the answer is free");
  return grammar;
}
const acceptsOf = (options: Partial<AnswerGrammarOptions>) => readGrammar(grammarOf(options));

describe("an answer", () => {
  it("is free unless a format or a call is requested", () => {
    expect(answerGrammar(plainOptions)).toBeUndefined();
    expect(answerGrammar({ ...plainOptions, tools })).toBeUndefined();
    expect(answerGrammar({ ...plainOptions, thinking: think })).toBeUndefined();
  });

  it("in JSON mode is any object", () => {
    const accepts = acceptsOf({ format: { kind: "json" } });
    expect(accepts('{"a": [1, {"b": null}], "c": "é\\n"}')).toBe(true);
    expect(accepts("{}")).toBe(true);
    for (const text of ["[1]", "1", "Sure: {}", "{} ", '{"a": }'])
      expect(accepts(text)).toBe(false);
  });

  it("may begin with thinking, which is free", () => {
    const accepts = acceptsOf({ format: { kind: "schema", schema }, thinking: think });
    expect(accepts('{"n": 1}')).toBe(true);
    expect(accepts('<think>\nWell {"n" < </thin </think>\n\n{"n": 1}')).toBe(true);
    expect(accepts('<think></think>{"n": 1}')).toBe(true);
    expect(accepts('<think>never ends {"n": 1}')).toBe(false);
    expect(accepts('<think>a</think>b</think>{"n": 1}')).toBe(false);
    expect(accepts('<think>a</think>{"n": "1"}')).toBe(false);
  });

  it("must end the thinking that the prompt has opened", () => {
    const options = { format: { kind: "schema", schema }, thinking: think, startsInThinking: true };
    const accepts = acceptsOf(options as Partial<AnswerGrammarOptions>);
    expect(accepts('Well.</think>{"n": 1}')).toBe(true);
    expect(accepts('{"n": 1}')).toBe(false);
  });

  it("with a mark that begins like itself is followed to the right end", () => {
    const tags = { open: "(", close: "aab" };
    const accepts = acceptsOf({ format: { kind: "json" }, thinking: tags });
    expect(accepts("(xaaab{}")).toBe(true);
    expect(accepts("(aaaaab{}")).toBe(true);
    expect(accepts("(aa{}")).toBe(false);
  });

  it("is content or calls if both are allowed", () => {
    const accepts = acceptsOf({ format: { kind: "schema", schema }, tools });
    expect(accepts('{"n": 1}')).toBe(true);
    expect(
      accepts('<tool_call>\n{"name": "get_weather", "arguments": {"city": "Rome"}}\n</tool_call>'),
    ).toBe(true);
    expect(accepts("Hello")).toBe(false);
  });

  it("in a format with channels goes through the right one", () => {
    const thinking = { open: "<|channel|>analysis<|message|>", close: "<|end|><|start|>assistant" };
    const accepts = acceptsOf({
      format: { kind: "schema", schema },
      output: { name: "harmony" },
      thinking,
    });
    const analysis = "<|channel|>analysis<|message|>Well.<|end|><|start|>assistant";
    expect(accepts(`${analysis}<|channel|>final<|message|>{"n": 1}`)).toBe(true);
    expect(accepts('<|channel|>final<|message|>{"n": 1}')).toBe(true);
    expect(accepts('{"n": 1}')).toBe(false);
  });
});

describe("a required call", () => {
  const weather =
    '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Rome"}}\n</tool_call>';
  const time = '<tool_call>\n{"name": "get_time", "arguments": {}}\n</tool_call>';

  it("is one of the tools', with arguments that fit", () => {
    const accepts = acceptsOf({ tools, toolChoice: "required" });
    expect(accepts(weather)).toBe(true);
    expect(accepts(time)).toBe(true);
    expect(accepts(weather.replace('"Rome"', "3"))).toBe(false);
    expect(accepts(weather.replace("get_weather", "get_news"))).toBe(false);
    expect(accepts("Hello")).toBe(false);
    expect(accepts("")).toBe(false);
  });

  it("may be several, unless parallel calls are off", () => {
    const several = `${weather}\n${time}\n${weather}`;
    expect(acceptsOf({ tools, toolChoice: "required" })(several)).toBe(true);
    const accepts = acceptsOf({ tools, toolChoice: "required", parallelToolCalls: false });
    expect(accepts(several)).toBe(false);
    expect(accepts(weather)).toBe(true);
  });

  it("may be limited to a named tool", () => {
    const accepts = acceptsOf({ tools, toolChoice: { name: "get_time" } });
    expect(accepts(time)).toBe(true);
    expect(accepts(weather)).toBe(false);
  });

  it("comes after thinking", () => {
    const accepts = acceptsOf({ tools, toolChoice: "required", thinking: think });
    expect(accepts(`<think>\nI call.\n</think>\n\n${weather}`)).toBe(true);
  });

  it("overrides a format", () => {
    const accepts = acceptsOf({ tools, toolChoice: "required", format: { kind: "json" } });
    expect(accepts(weather)).toBe(true);
    expect(accepts("{}")).toBe(false);
  });

  it("is possible even if a grammar cannot express a tool's schema", () => {
    const odd = {
      name: "odd",
      description: undefined,
      parameters: { properties: { a: { pattern: "^(?!x)" } }, not: {} },
    };
    expect(
      acceptsOf({ tools: [odd], toolChoice: "required" })(
        '<tool_call>\n{"name": "odd", "arguments": {"a": "y"}}\n</tool_call>',
      ),
    ).toBe(true);
  });

  it.each<[about: string, options: Partial<AnswerGrammarOptions>, message: string]>([
    ["an unknown tool", { tools, toolChoice: { name: "f" } }, 'no tool named "f"'],
    ["no tools", { toolChoice: "required" }, "no tool in the request"],
    [
      "a model without calls",
      { tools, toolChoice: "required", output: { name: "plain" } },
      "cannot be forced",
    ],
  ])("is refused with %s", (_, options, message) => {
    expect(() => grammarOf(options)).toThrow(
      expect.objectContaining({
        code: "PROMPT_TOOL_CHOICE_UNSUPPORTED",
        message: expect.stringContaining(message),
      }),
    );
  });

  it("is refused with a broken schema, by the tool's name", () => {
    const broken = {
      name: "f",
      description: undefined,
      parameters: { properties: { a: { type: "strin" } } },
    };
    expect(() => grammarOf({ tools: [broken], toolChoice: "required" })).toThrow(
      /of tool "f" is not valid at \/properties\/a\/type/,
    );
  });
});

describe("a forced call in the format of each model", () => {
  const formats: OutputFormat[] = [
    ...Object.keys(formatTable).map((name) => ({ name: name as keyof typeof formatTable })),
    { name: "generic", tag: "<toolcall>" },
    { name: "generic", tag: "{" },
    { name: "generic", tag: "[" },
  ];

  it.each(formats)("$name $tag is what its parser reads", (output) => {
    const shape = toolCallShape(output);
    if (shape === undefined) return expectForcedByNotation(output);
    const accepts = acceptsOf({ tools, toolChoice: "required", output });
    const names = shape.separator === undefined ? ["get_weather"] : ["get_weather", "get_time"];
    const calls = names.map(
      (name) =>
        `${shape.beforeName}${name}${shape.beforeArguments}{"city": "R\\"ö{}"}${shape.afterArguments}`,
    );
    const text = shape.opening + calls.join(shape.separator ?? "") + shape.closing;
    expect(accepts(text)).toBe(true);
    expect(accepts(text.replace("get_weather", "get_news"))).toBe(false);
    const parsed = addUp(
      piecesOf({ format: output, tools, thinking: undefined, startsInThinking: false }, [text]),
    );
    expect(parsed).toEqual({
      content: "",
      thought: "",
      calls: names.map((name) => [name, { city: 'R"ö{}' }]),
    });
  });
});

/** Formats without JSON are forced in the notation that their models use. */
function expectForcedByNotation(output: OutputFormat): void {
  const written: Partial<Record<string, string>> = {
    deepseekDsml:
      '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="get_weather">\n<｜DSML｜parameter name="city" string="true">Rom</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>',
    kimiK3:
      '<|open|>tools<|sep|><|open|>call tool="get_weather" index="1"<|sep|><|open|>argument key="city" type="string"<|sep|>Rom<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|><|close|>message<|sep|>',
    minimaxM3:
      ']<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name="get_weather">]<]minimax[>[<city>Rom]<]minimax[>[</city>]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>',
    minicpm: '<function name="get_weather"><param name="city">Rom</param></function>',
    muse: ' to=get_weather<|message|><atem:function_calls>\n<atem:invoke name="get_weather">\n<atem:parameter name="city">Rom</atem:parameter>\n</atem:invoke>\n</atem:function_calls>',
  };
  const text = written[output.name] ?? "";
  const accepts = acceptsOf({ tools, toolChoice: "required", output });
  expect(accepts(text)).toBe(true);
  expect(accepts(text.replaceAll("get_weather", "get_news"))).toBe(false);
  expect(accepts(text.replaceAll("city", "town"))).toBe(false);
  const parsed = addUp(
    piecesOf({ format: output, tools, thinking: undefined, startsInThinking: false }, [text]),
  );
  expect(parsed).toEqual({ content: "", thought: "", calls: [["get_weather", { city: "Rom" }]] });
}

describe("a real model under a grammar", () => {
  const hello = [{ role: "user", content: "Hello!" }];

  it("answers with what fits the schema and then stops", async () => {
    const city = {
      type: "object",
      properties: {
        capital: { enum: ["Paris", "Rome"] },
        size: { type: "integer", minimum: 10, maximum: 99 },
      },
      required: ["capital", "size"],
    };
    const grammar = grammarOf({ format: { kind: "schema", schema: city } });
    const { text, done } = await tiny.ask(hello, { grammar });
    expect(JSON.parse(text)).toEqual({
      capital: expect.stringMatching(/^(Paris|Rome)$/),
      size: expect.any(Number),
    });
    expect(done.reason).toBe("stop");
  });

  it("calls the tool that it must call", async () => {
    const grammar = grammarOf({
      tools,
      toolChoice: { name: "get_weather" },
      parallelToolCalls: false,
    });
    const { text } = await tiny.ask(hello, { grammar });
    const options = {
      format: { name: "hermes" },
      tools,
      thinking: undefined,
      startsInThinking: false,
    } as const;
    expect(addUp(piecesOf(options, [text]))).toEqual({
      content: "",
      thought: "",
      calls: [["get_weather", { city: expect.any(String) }]],
    });
  });
});
