// Token counts at the end of responses of all formats.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ReplyTail } from "../../../source/cloud/metrics/reply-tail.ts";

function read(text: string, pieceBytes = text.length) {
  const tail = new ReplyTail();
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

describe("an error that ended a stream", () => {
  const endsWithError = (text: string) => {
    const tail = new ReplyTail();
    tail.push(Buffer.from(text));
    return tail.endsWithError();
  };
  const chunk = 'data: {"choices":[{"delta":{"content":"an error:"}}],"error":null}\n\n';

  test.each([
    ["of OpenAI", `${chunk}data: {"error":{"message":"crashed"}}\n\n`],
    ["before the final mark", `${chunk}data: {"error":{"message":"crashed"}}\n\ndata: [DONE]\n\n`],
    ["of Anthropic", 'event: error\r\ndata: {"type":"error","error":{"type":"a"}}\r\n\r\n'],
    ["of a response", 'event: response.failed\ndata: {"type":"response.failed"}\n\n: end\n\n'],
    ["of Ollama", '{"message":{"content":"a"},"done":false}\n{"error":"the runner crashed"}\n'],
  ])("is found in the form %s", (_, text) => {
    expect(endsWithError(text)).toBe(true);
  });

  test.each([
    ["a whole stream", `${chunk}data: [DONE]\n\n`],
    ["an error that was not the last event", `data: {"error":{}}\n\n${chunk}`],
    ["nothing", ""],
    ["lines that are no JSON", "data: {error\n\nerror\n"],
    ["a whole answer of Ollama", '{"message":{"content":"error"},"done":true}\n'],
  ])("is not found in %s", (_, text) => {
    expect(endsWithError(text)).toBe(false);
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
