// Calls that a model writes without the marks of its format, in all spellings and however they are split.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { OutputFormat } from "../../../source/prompt/output/format-table.ts";
import {
  createOutputParser,
  type OutputParserOptions,
} from "../../../source/prompt/output/output-parser.ts";
import { proofRounds } from "../../support/proof.ts";
import { addUp, byCharacter, type ParsedOutput, piecesOf } from "./read-pieces.ts";

const tools = [
  {
    name: "get_weather",
    description: undefined,
    parameters: {
      type: "object",
      properties: { city: { type: "string" }, days: { type: "integer" } },
      required: ["city"],
    },
  },
  {
    name: "search",
    description: undefined,
    parameters: {
      type: "object",
      properties: {
        query: { type: "string", pattern: "^(a+)+$" },
        exact: { type: ["boolean", "null"] },
      },
      required: ["query"],
      additionalProperties: false,
    },
  },
  { name: "get_time", description: undefined, parameters: undefined },
];

const optionsFor = (format: OutputFormat = { name: "hermes" }): OutputParserOptions => ({
  format,
  tools,
  thinking: { open: "<think>", close: "</think>" },
  startsInThinking: false,
  readsLooseCalls: true,
});

/** Parses an output whole, by character and in pieces of three: the result must be the same. */
function parse(output: string, options = optionsFor()): ParsedOutput {
  const whole = addUp(piecesOf(options, [output]));
  const pieces = output.match(/[\s\S]{1,3}/g) ?? [];
  expect(addUp(piecesOf(options, byCharacter(output)))).toEqual(whole);
  expect(addUp(piecesOf(options, pieces))).toEqual(whole);
  return whole;
}

const rome: ParsedOutput["calls"][number] = ["get_weather", { city: "Rome" }];
const call = '{"name": "get_weather", "arguments": {"city": "Rome"}}';
const fence = (text: string, language = "json") => `\`\`\`${language}\n${text}\n\`\`\``;

describe("a whole answer is a call", () => {
  it.each([
    ["bare", call],
    ["over several lines", JSON.stringify(JSON.parse(call), null, 4)],
    ["in a fence", fence(call)],
    ["in a fence without a language", fence(call, "")],
    ["in a fence that is not closed", `\`\`\`json\n${call}`],
    ["in an array", `[${call}]`],
    ["in an array in a fence", fence(`[\n  ${call}\n]`)],
    ["with parameters", '{"name": "get_weather", "parameters": {"city": "Rome"}}'],
    [
      "with arguments in a string",
      '{"name": "get_weather", "arguments": "{\\"city\\": \\"Rome\\"}"}',
    ],
    ["with an object beside the name", '{"name": "get_weather", "input": {"city": "Rome"}}'],
    ["with the arguments first", '{"arguments": {"city": "Rome"}, "name": "get_weather"}'],
    ["as OpenAI writes it", `{"type": "function", "function": ${call}}`],
    [
      "with an id",
      '{"id": "call_1", "type": "function", "name": "get_weather", "arguments": {"city": "Rome"}}',
    ],
    ["under the tool's name", '{"get_weather": {"city": "Rome"}}'],
    ["with doubled braces", '{{"name": "get_weather", "arguments": {{"city": "Rome"}}}}'],
    ["with outer braces doubled", '{{"name": "get_weather", "arguments": {"city": "Rome"}}}'],
    ["with single quotes", "{'name': 'get_weather', 'arguments': {'city': 'Rome'}}"],
    ["with trailing commas", '{"name": "get_weather", "arguments": {"city": "Rome",},}'],
    ["in its format's tags with doubled braces", `<tool_call>\n{${call}}\n</tool_call>`],
    ["in another family's tags", `<function_call>${call}</function_call>`],
    ["in another family's brackets", `[TOOL_CALLS][${call}]`],
    [
      "in another family's elements",
      "<tool_call>get_weather<arg_key>city</arg_key><arg_value>Rome</arg_value></tool_call>",
    ],
  ])("%s", (_, output) => {
    expect(parse(output)).toEqual({ content: "", thought: "", calls: [rome] });
  });

  it("with Python's words", () => {
    const output = "{'name': 'search', 'arguments': {'query': 'x', 'exact': True}}";
    expect(parse(output).calls).toEqual([["search", { query: "x", exact: true }]]);
    expect(parse(output.replace("True", "None")).calls).toEqual([
      ["search", { query: "x", exact: null }],
    ]);
  });

  it("with a raw line break in a string", () => {
    const output = fence('{"name": "search", "arguments": {"query": "one\ntwo"}}');
    expect(parse(output).calls).toEqual([["search", { query: "one\ntwo" }]]);
  });

  it("more than one", () => {
    const oslo = call.replace("Rome", "Oslo");
    const expected = [rome, ["get_weather", { city: "Oslo" }]];
    for (const output of [
      `${call}\n${oslo}`,
      `[${call}, ${oslo}]`,
      `${fence(call)}\n\n${fence(oslo)}`,
      fence(`${call}\n${oslo}`),
      `Both:\n${call};\n${oslo}\n`,
    ]) {
      expect(parse(output).calls, output).toEqual(expected);
    }
  });

  it("after thinking", () => {
    expect(parse(`<think>The weather, then.</think>\n\n${fence(call)}`)).toEqual({
      content: "",
      thought: "The weather, then.",
      calls: [rome],
    });
  });
});

describe("prose", () => {
  it("before a call stays content", () => {
    expect(parse(`I look it up.\n\n${fence(call)}\n`)).toEqual({
      content: "I look it up.\n\n",
      thought: "",
      calls: [rome],
    });
  });

  it.each([
    [
      "after an example",
      `To ask for the weather, write:\n${fence(call)}\nThen wait for the answer.`,
    ],
    ["after bare JSON in the middle", `Write ${call} and send it.`],
    ["after code", `\`${call}\``],
    ["around two examples", `First:\n${fence(call)}\nor:\n${fence(call)}\nThat is all.`],
  ])("%s keeps it as text", (_, output) => {
    expect(parse(output)).toEqual({ content: output, thought: "", calls: [] });
  });
});

describe("stays text", () => {
  it.each([
    ["a name that is not offered", '{"name": "delete_all", "arguments": {}}'],
    ["a call without a required argument", fence('{"name": "get_weather", "arguments": {}}')],
    ["an argument of another type", fence('{"name": "get_weather", "arguments": {"city": 5}}')],
    [
      "an undeclared argument of a closed schema",
      fence('{"name": "search", "arguments": {"query": "x", "site": "y"}}'),
    ],
    ["a name without arguments", '{"name": "get_time"}'],
    ["other JSON", '{"answer": 42, "name": "get_weather"}'],
    ["a list of people", '[{"name": "Ada", "arguments": {"a": 1}}]'],
    [
      "the definition of a tool",
      fence('{"name": "get_time", "parameters": {"type": "object", "properties": {}}}'),
    ],
    ["a described tool", '{"name": "get_time", "description": "d", "parameters": {}}'],
    ["a list with something else", fence(`[${call}, 5]`)],
    ["JSON that is cut off", call.slice(0, -4)],
    ["program code", fence("const city = { name: 'get_weather' };", "js")],
    ["JSON without quotes around a word", '{"name": "get_weather", "arguments": {"city": Rome}}'],
  ])("%s", (_, output) => {
    expect(parse(output)).toMatchObject({ content: output, calls: [] });
  });

  it("whatever it says, without loose calls", () => {
    const options = { ...optionsFor(), readsLooseCalls: false };
    expect(parse(call, options)).toEqual({ content: call, thought: "", calls: [] });
  });
});

it("counts a call that does not fulfil its schema once", () => {
  const parser = createOutputParser(optionsFor());
  parser.push(fence('{"name": "get_weather", "arguments": {"city": 5}}'));
  parser.end();
  expect(parser.callsNotRead).toBe(1);
});

it("marks calls read from text, and only those", () => {
  const started = (output: string) =>
    piecesOf(optionsFor(), [output]).filter((piece) => piece.type === "tool-call-start");
  expect(started(fence(call))).toMatchObject([{ isLoose: true }]);
  expect(started(call)).toMatchObject([{ isLoose: true }]);
  expect(started(`<tool_call>${call}</tool_call>`)[0]).not.toHaveProperty("isLoose");
});

it("passes the arguments of an answer that is a call on as they arrive", () => {
  const parser = createOutputParser(optionsFor());
  expect(parser.push('{"name": "get_weather", ')).toEqual([]);
  expect(parser.push('"arguments": {"city": "Ro')).toMatchObject([
    { type: "tool-call-start", name: "get_weather" },
    { type: "tool-call-arguments", text: '{"city": "Ro' },
  ]);
});

it("releases text at the first character that no call has", () => {
  const contentOf = (output: string) => {
    const parser = createOutputParser(optionsFor());
    return addUp(parser.push(output)).content;
  };
  expect(contentOf('{"title')).toBe('{"title');
  expect(contentOf('{"name": "Ad')).toBe('{"name": "Ad');
  expect(contentOf("```js\nconst")).toBe("```js\nconst");
  expect(contentOf("a < b")).toBe("a < b");
  expect(contentOf(`${fence(call)}\nThis`)).toBe(`${fence(call)}\nThis`);
});

it.each([
  ["lists", "[\n"],
  ["fences", "```\n"],
  ["tags", "<tool_call>\n"],
  ["objects that never end", '{"arguments": '],
  ["names that never end", '{"name": "get_weather", "a": '],
])("reads an answer of repeated %s once, not from each of them again", (_, piece) => {
  // Quadratic time would take minutes.
  const output = `Text: ${piece.repeat(30_000)}x`;
  expect(addUp(piecesOf(optionsFor(), [output]))).toMatchObject({ content: output, calls: [] });
});

it("takes time in proportion to the length of an answer", () => {
  const output = `Calls: [${`${call},\n`.repeat(20_000)}"end"]`;
  const parsed = addUp(piecesOf(optionsFor(), [output]));
  expect(parsed.content).toBe(output);
});

describe("generated answers", () => {
  const space = fc.constantFrom("", " ", "\n", "\n  ");
  const city = fc.stringMatching(/^[A-Za-z "'\\{}é-]{1,12}$/);
  const spelled = fc
    .record({
      city,
      key: fc.constantFrom("arguments", "parameters"),
      gap: space,
      isFenced: fc.boolean(),
      isListed: fc.boolean(),
      isText: fc.boolean(),
    })
    .map(({ city, key, gap, isFenced, isListed, isText }) => {
      const values = JSON.stringify({ city });
      const text = isText ? JSON.stringify(values) : values;
      const object = `{${gap}"name":${gap}"get_weather",${gap}"${key}":${gap}${text}${gap}}`;
      const listed = isListed ? `[${object}]` : object;
      return { output: isFenced ? fence(listed) : listed, city };
    });
  const prose = fc.constantFrom("", "Let me look.\n", "Here {it} is [now]:\n\n", "a < b, `x`.\n");

  it("are read as calls however they are split", () => {
    fc.assert(
      fc.property(
        prose,
        spelled,
        fc.array(fc.nat(), { maxLength: 8 }),
        (before, { output, city }, at) => {
          const text = before + output;
          const ends = [...new Set(at.map((place) => place % (text.length + 1)))].sort(
            (a, b) => a - b,
          );
          const chunks = [0, ...ends].map((from, index) => text.slice(from, ends[index]));
          const expected = { content: before, thought: "", calls: [["get_weather", { city }]] };
          expect(addUp(piecesOf(optionsFor(), chunks))).toEqual(expected);
        },
      ),
      { numRuns: proofRounds(200) },
    );
  });

  it("stay text with a sentence behind them, or with another name", () => {
    fc.assert(
      fc.property(prose, spelled, fc.boolean(), (before, { output }, isOther) => {
        const text = isOther
          ? before + output.replace("get_weather", "get_whether")
          : `${before}${output}\nThat was an example.`;
        const startsAsCall = before === "" && !isOther && /^\[?\s*\{/.test(output);
        const parsed = addUp(piecesOf(optionsFor(), byCharacter(text)));
        if (!startsAsCall) expect(parsed).toEqual({ content: text, thought: "", calls: [] });
      }),
      { numRuns: proofRounds(200) },
    );
  });

  it("lose and repeat nothing, whatever they are", () => {
    const piece = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      '"',
      "'",
      ":",
      ",",
      "```",
      "json\n",
      " ",
      "\n",
      "name",
      '"name"',
      '"get_weather"',
      '"arguments"',
      "<tool_call>",
      "x",
      "\\",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 24 }), (pieces) => {
        const whole = addUp(piecesOf(optionsFor(), [pieces.join("")]));
        expect(addUp(piecesOf(optionsFor(), byCharacter(pieces.join(""))))).toEqual(whole);
        if (whole.calls.length === 0 && !/^\s|\s$/.test(pieces.join(""))) {
          expect(whole.content).toBe(pieces.join(""));
        }
      }),
      { numRuns: proofRounds(500) },
    );
  });
});
