// Token counts at the end of responses of all formats.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TokenTail } from "../../../source/cloud/metrics/token-tail.ts";

function read(text: string, pieceBytes = text.length) {
  const tail = new TokenTail();
  const bytes = Buffer.from(text);
  for (let begin = 0; begin < bytes.length; begin += Math.max(1, pieceBytes)) {
    tail.push(bytes.subarray(begin, begin + Math.max(1, pieceBytes)));
  }
  return tail.read();
}

const usage =
  '{"prompt_tokens": 7, "completion_tokens": 9, "prompt_tokens_details": {"cached_tokens": 4}}';
const counts = { prompt: 7, completion: 9, cached: 4 };

describe("tokens are counted", () => {
  test.each([
    ["in JSON", `{"choices":[],"usage": ${usage}}`],
    [
      "in an event before the last",
      `data: {"usage":null}\n\ndata: {"usage":${usage}}\n\ndata: [DONE]\n\n`,
    ],
    ["although later events have none", `data: {"usage":${usage}}\n\ndata: {"usage":null}\n\n`],
    ["after a very long reply", `{"text":"${"x".repeat(300_000)}","usage":${usage}}`],
    ["although the text mentions usage", `{"text":"\\"usage\\":{ \\"usage\\":","usage":${usage}}`],
  ])("%s", (_, text) => {
    expect(read(text)).toEqual(counts);
    expect(read(text, 1000)).toEqual(counts);
  });

  test("under the names of other APIs", () => {
    const text =
      '{"usage":{"input_tokens":3,"output_tokens":5,"input_tokens_details":{"cached_tokens":1}}}';
    expect(read(text)).toEqual({ prompt: 3, completion: 5, cached: 1 });
    expect(read('{"usage":{"prompt_tokens":3,"total_tokens":3}}')).toEqual({
      ...{ prompt: 3, completion: 0, cached: 0 },
    });
  });
});

test("counts nothing in replies without usage", () => {
  for (const text of [
    "",
    "{}",
    '{"usage":',
    '{"usage":{',
    '{"usage":{}}',
    '{"usage":{"prompt_tokens":"7"}}',
    '"usage":7',
    '{"usage":{"a":}}',
  ]) {
    expect(read(text)).toBeUndefined();
  }
});

test("gives the same count for pieces of any size and any text", () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 1, max: 50 }), (text, pieceBytes) => {
      expect(read(`${text}"usage":${usage}`, pieceBytes)).toEqual(counts);
      read(`"usage":{${text}`, pieceBytes);
    }),
    { numRuns: 100 },
  );
});
