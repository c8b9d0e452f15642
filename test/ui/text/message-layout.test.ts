// Goal: a message that grows looks at every moment as if it had been laid out at once.
// Method: texts are fed in pieces and compared with the same text in one piece.

import { describe, expect, test } from "vitest";
import { MessageLayout } from "../../../source/ui/text/message-layout.ts";
import { cleanInput, neutraliseLine } from "../../../source/ui/text/neutralise.ts";

const sample = [
  "A first line that is wrapped.",
  "",
  "```js",
  "const a = 1; // a long line of code",
  "\tb();",
  "```",
  "Windows\r\nline\rbreaks and 漢字\r\n",
  "~~~",
  "``` is code here",
  "~~~~",
  "the end",
].join("\n");

describe("a growing message", () => {
  test.each([1, 2, 3, 7, 50])("in pieces of %i has the rows of the whole", (size) => {
    const layout = new MessageLayout(false);
    for (let end = size; end < sample.length + size; end += size) {
      const text = sample.slice(0, end);
      expect(layout.rowsOf(1, text, 20)).toEqual(new MessageLayout(false).rowsOf(9, text, 20));
    }
  });

  test("keeps the rows it has when nothing changed", () => {
    const layout = new MessageLayout(false);
    expect(layout.rowsOf(1, sample, 20)).toBe(layout.rowsOf(1, sample, 20));
  });

  test("is laid out again for a new width or another text under the same number", () => {
    const layout = new MessageLayout(false);
    layout.rowsOf(1, "```\ncode", 20);
    expect(layout.rowsOf(1, "plain text", 6).map(({ text }) => text)).toEqual(["plain ", "text"]);
    expect(layout.rowsOf(1, "plain text", 20).map(({ tone }) => tone)).toEqual(["plain"]);
  });

  test("forgets the messages that are gone", () => {
    const layout = new MessageLayout(false);
    layout.rowsOf(1, "one", 20);
    layout.rowsOf(2, "two", 20);
    layout.retain(new Set([2]));
    expect(layout.size).toBe(1);
  });
});

describe("code fences", () => {
  function tones(text: string): string[] {
    return new MessageLayout(false).rowsOf(1, text, 40).map(({ tone }) => tone);
  }

  test("set code apart until a fence of the same kind closes them", () => {
    expect(tones("a\n```ts\nb\n~~~\n```\nc")).toEqual([
      "plain",
      "dim",
      "code",
      "code",
      "dim",
      "plain",
    ]);
  });

  test("are not opened by code within a line", () => {
    expect(tones("```inline``` code\nplain")).toEqual(["plain", "plain"]);
  });
});

describe("harmful characters", () => {
  test("are shown instead of obeyed", () => {
    expect(neutraliseLine("\x1b[2J\x00\x7f\x9b", false)).toBe("␛[2J␀␡\\x9b");
    expect(neutraliseLine("\x1b[2J\x00\x7f\x9b", true)).toBe("^[[2J^@^?\\x9b");
    expect(neutraliseLine("a\u202eb\ud800c\td", false)).toBe("ab\ufffdc\td");
  });

  test("never come into the editor", () => {
    expect(cleanInput("a\x1b[31m\r\nb\rc\u2028d\x07\te\u2066")).toBe("a[31m\nb\nc\nd\te");
  });
});
