// Recorded outputs of every format, split in every way, and their parsed pieces.
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createOutputParser,
  type OutputParserOptions,
} from "../../../source/prompt/output/output-parser.ts";
import { toolPairs } from "../../support/pairs.ts";
import { proofRounds } from "../../support/proof.ts";
import { addUp, byCharacter, piecesOf } from "./read-pieces.ts";
import { bracketedOutputs } from "./recorded/bracketed.ts";
import { familyOutputs } from "./recorded/families.ts";
import { hermesOutputs } from "./recorded/hermes.ts";
import { type RecordedOutput, recordedTools, think } from "./recorded/recorded-output.ts";
import { tokenOutputs } from "./recorded/tokens.ts";

const recordings = [...hermesOutputs, ...bracketedOutputs, ...tokenOutputs, ...familyOutputs];
const named = recordings.map((recording) => [recording.about, recording] as const);

const optionsFor = (recording: RecordedOutput): OutputParserOptions => ({
  format: recording.format,
  tools: recordedTools,
  thinking: recording.thinking,
  startsInThinking: recording.startsInThinking ?? false,
});
const expectedOf = ({ content, thought, calls }: RecordedOutput) => ({
  content: content ?? "",
  thought: thought ?? "",
  calls: calls ?? [],
});
/** Cuts a text at places that fast-check chooses. */
function cut(text: string, places: readonly number[]): string[] {
  const characters = [...text];
  const ends = [...new Set(places.map((place) => place % (characters.length + 1)))].sort(
    (a, b) => a - b,
  );
  return [0, ...ends].map((from, index) => characters.slice(from, ends[index]).join(""));
}

describe.each(named)("%s", (_, recording) => {
  const options = optionsFor(recording);

  it("is parsed as a whole", () => {
    expect(addUp(piecesOf(options, [recording.output]))).toEqual(expectedOf(recording));
  });

  it("is parsed character by character", () => {
    const parsed = addUp(piecesOf(options, byCharacter(recording.output)));
    expect(parsed).toEqual(expectedOf(recording));
  });

  it("is parsed however it is split in two", () => {
    const characters = [...recording.output];
    const expected = expectedOf(recording);
    for (let at = 1; at < characters.length; at += 1) {
      const chunks = [characters.slice(0, at).join(""), characters.slice(at).join("")];
      const parsed = addUp(piecesOf(options, chunks));
      // An assertion for each would take longer than the parsing.
      if (!isDeepStrictEqual(parsed, expected)) expect(parsed, chunks.join("|")).toEqual(expected);
    }
  });

  it("is parsed however it is split", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 12 }), (places) => {
        const parsed = addUp(piecesOf(options, cut(recording.output, places)));
        expect(parsed).toEqual(expectedOf(recording));
      }),
      { numRuns: proofRounds(100) },
    );
  });

  it("can stop anywhere without lost or repeated text", () => {
    const characters = [...recording.output];
    const expected = expectedOf(recording);
    for (let length = 0; length < characters.length; length += 1) {
      const output = characters.slice(0, length).join("");
      const whole = addUp(piecesOf(options, [output]));
      const byOne = addUp(piecesOf(options, byCharacter(output)));
      if (!isDeepStrictEqual(byOne, whole)) expect(byOne, output).toEqual(whole);
      const calls = expected.calls.slice(0, whole.calls.length);
      if (!isDeepStrictEqual(whole.calls, calls)) expect(whole.calls, output).toEqual(calls);
      for (const part of ["thought", "content"] as const) {
        const isRight = isBeginningThenRest(whole[part], expected[part], output);
        if (!isRight) expect.fail(`${part} after ${output}: ${whole[part]}`);
      }
    }
  });

  it("is only content without tools", () => {
    const { content, calls, thought } = addUp(
      piecesOf({ ...options, tools: [] }, byCharacter(recording.output)),
    );
    expect(calls).toEqual([]);
    if (recording.calls !== undefined && thought === "") {
      for (const [name] of recording.calls) expect(content).toContain(name);
    }
  });
});

/**
 * An unfinished output shows a part of the finished one, then the raw text of an incomplete
 * call; white space at the end may be missing, as after thinking.
 */
function isBeginningThenRest(shown: string, finished: string, output: string): boolean {
  for (let length = shown.length; length >= 0; length -= 1) {
    const rest = shown.slice(length);
    if (!output.endsWith(rest) && !output.trimEnd().endsWith(rest)) return false;
    if (finished.startsWith(shown.slice(0, length))) return true;
  }
  return false;
}

describe("the tiny model's answers with tools", () => {
  it.each(toolPairs)("$expect", (pair) => {
    const tools = (pair.tools ?? []).map(({ function: tool }) => tool);
    const options = {
      format: { name: "hermes" },
      tools,
      thinking: undefined,
      startsInThinking: false,
    } as const;
    const parsed = addUp(piecesOf(options, byCharacter(pair.expect)));
    const call = /^<tool_call>(.*)<\/tool_call>$/.exec(pair.expect)?.[1];
    if (call === undefined)
      expect(parsed).toEqual({ content: pair.expect, thought: "", calls: [] });
    else {
      const { name, arguments: args } = JSON.parse(call);
      expect(parsed).toEqual({ content: "", thought: "", calls: [[name, args]] });
    }
  });
});

describe("the order of pieces", () => {
  const hermes: OutputParserOptions = {
    format: { name: "hermes" },
    tools: recordedTools,
    thinking: think,
    startsInThinking: false,
    random: () => 0,
  };

  it("text is passed on at once, a possible tag only when it is certain", () => {
    const parser = createOutputParser(hermes);
    expect(parser.push("Hello")).toEqual([{ type: "content", text: "Hello" }]);
    expect(parser.push(" a <")).toEqual([{ type: "content", text: " a " }]);
    expect(parser.push(" b <tool")).toEqual([{ type: "content", text: "< b " }]);
    expect(parser.push("box>")).toEqual([{ type: "content", text: "<toolbox>" }]);
    expect(parser.end()).toEqual([]);
  });

  it("a call is announced as soon as its tool is known, its arguments as they arrive", () => {
    const parser = createOutputParser(hermes);
    const id = "call_aaaaaaaa";
    expect(parser.push('<tool_call>{"name": "get_time"')).toEqual([]);
    expect(parser.push(', "arguments": {')).toEqual([
      { type: "tool-call-start", index: 0, id, name: "get_time" },
      { type: "tool-call-arguments", index: 0, text: "{" },
    ]);
    expect(parser.push('"city": "Par')).toEqual([
      { type: "tool-call-arguments", index: 0, text: '"city": "Par' },
    ]);
    expect(parser.push('is"}')).toEqual([
      { type: "tool-call-arguments", index: 0, text: 'is"}' },
      { type: "tool-call-end", index: 0, arguments: { city: "Paris" } },
    ]);
    expect(parser.push("}</tool_call>")).toEqual([]);
    expect(parser.end()).toEqual([]);
  });

  it("an answer in JSON is passed on as soon as it cannot be a call", () => {
    const parser = createOutputParser({ ...hermes, format: { name: "llama" } });
    expect(parser.push('{"na')).toEqual([]);
    expect(parser.push('me": "Bob"')).toEqual([{ type: "content", text: '{"name": "Bob"' }]);
    expect(parser.push(', "age"')).toEqual([{ type: "content", text: ', "age"' }]);
  });

  it("arguments in marks are passed on as they are written", () => {
    const parser = createOutputParser(hermes);
    parser.push("<tool_call>\n<function=python>\n<parameter=code>\n");
    expect(parser.push('print("a')).toEqual([
      { type: "tool-call-arguments", index: 0, text: 'print(\\"a' },
    ]);
    expect(parser.push("\n")).toEqual([]);
    expect(parser.push("x")).toEqual([{ type: "tool-call-arguments", index: 0, text: "\\nx" }]);
  });

  it("thinking is passed on as it is written", () => {
    const parser = createOutputParser(hermes);
    expect(parser.push("<think>\n")).toEqual([]);
    expect(parser.push("Well, ")).toEqual([{ type: "thinking", text: "Well," }]);
    expect(parser.push("yes\n")).toEqual([{ type: "thinking", text: " yes" }]);
    expect(parser.push("</think>\n\nYes.")).toEqual([{ type: "content", text: "Yes." }]);
  });

  it("an incomplete call has no end, and its text becomes content", () => {
    const parser = createOutputParser(hermes);
    parser.push('<tool_call>{"name": "get_time", "arguments": {"city": "Par');
    expect(parser.end()).toEqual([
      {
        type: "content",
        text: '<tool_call>{"name": "get_time", "arguments": {"city": "Par',
      },
    ]);
  });

  it("ids differ and have the usual form", () => {
    const output = '<tool_call>{"name": "empty_args"}</tool_call>'.repeat(50);
    const pieces = piecesOf({ ...hermes, random: Math.random }, [output]);
    const ids = pieces.flatMap((piece) => (piece.type === "tool-call-start" ? [piece.id] : []));
    expect(new Set(ids).size).toBe(50);
    for (const id of ids) expect(id).toMatch(/^call_[a-z0-9]{8}$/);
  });
});

it("ignores a call that the model only thinks about", () => {
  const call =
    "<tool_call>\n<function=get_time>\n<parameter=city>\nRome\n</parameter>\n</function>\n</tool_call>";
  const output = `Should I write ${call} now? No.</think>Hello!`;
  const options: OutputParserOptions = {
    format: { name: "qwenCoder" },
    tools: recordedTools,
    thinking: think,
    startsInThinking: true,
  };
  const pieces = piecesOf(options, byCharacter(output));
  expect(pieces.every(({ type }) => type === "content" || type === "thinking")).toBe(true);
  expect(addUp(pieces)).toEqual({
    thought: `Should I write ${call} now? No.`,
    content: "Hello!",
    calls: [],
  });
});

describe("any text", () => {
  const formats = [
    ...new Map(recordings.map(({ format }) => [JSON.stringify(format), format])).values(),
  ];
  const marks = [
    ...new Set(
      recordings.flatMap(
        ({ output }) => output.match(/<[^<>\n]*>|\[\/?[A-Z_]+\]|>>>|[{}[\]":,]|\w+/g) ?? [],
      ),
    ),
  ];
  const text = fc
    .array(
      fc.oneof(fc.constantFrom(...marks), fc.string(), fc.constantFrom("\n", " ", "é", "🦊")),
      {
        maxLength: 30,
      },
    )
    .map((parts) => parts.join(""));

  it.each(formats)("of $name is parsed the same however it is split", (format) => {
    fc.assert(
      fc.property(
        text,
        fc.array(fc.nat(), { maxLength: 8 }),
        fc.boolean(),
        (output, places, inside) => {
          const options = {
            format,
            tools: recordedTools,
            thinking: think,
            startsInThinking: inside,
          };
          const whole = addUp(piecesOf(options, [output]));
          expect(addUp(piecesOf(options, cut(output, places)))).toEqual(whole);
          expect(addUp(piecesOf(options, byCharacter(output)))).toEqual(whole);
        },
      ),
      { numRuns: 150 },
    );
  });

  it.each(formats)("of $name without calls or thinking is unchanged", (format) => {
    const framed =
      /all\n|>>>|<response>|<\|START_RESPONSE\|>|<\|START_TEXT\|>|<\|message\|>|<\|?channel\|?>|<\|(?:open|close)\|>/;
    fc.assert(
      fc.property(text, fc.array(fc.nat(), { maxLength: 8 }), (output, places) => {
        fc.pre(!framed.test(output));
        const options = {
          format,
          tools: recordedTools,
          thinking: undefined,
          startsInThinking: false,
        };
        const { content, thought, calls } = addUp(piecesOf(options, cut(output, places)));
        fc.pre(calls.length === 0 && thought === "");
        expect(content).toBe(output);
      }),
      { numRuns: 150 },
    );
  });
});
