// Width of text, and wrapping of text that arrives in pieces.
import fc from "fast-check";
import { expect, test } from "vitest";
import { cellWidth, WordWrap, wrapWords } from "../../source/cli/text-width.ts";

function wrapped(width: number, ...pieces: string[]): string {
  const wrap = new WordWrap(width);
  return pieces.map((piece) => wrap.push(piece)).join("") + wrap.end();
}

test.each([
  [["The capital", " of Fra", "nce is Paris."], "The capital\nof France is\nParis."],
  [["a\n", "b\n\n", "c"], "a\nb\n\nc"],
  [["  indented words here"], "  indented\nwords here"],
  [["Donaudampfschifffahrt ahoi"], "Donaudampfschifffahrt\nahoi"],
  [["日本語 日本語 日本語"], "日本語\n日本語\n日本語"],
  [["trailing "], "trailing"],
])("%j", (pieces, expected) => {
  expect(wrapped(12, ...pieces)).toBe(expected);
});

test("without a width nothing changes", () => {
  expect(wrapped(Number.POSITIVE_INFINITY, "a  b ", "\n c")).toBe("a  b \n c");
});

test("no line exceeds the width and no word is lost, however the text is cut", () => {
  const words = fc.array(fc.stringMatching(/^[a-z]{1,9}$/), { minLength: 1 });
  fc.assert(
    fc.property(words, fc.array(fc.nat(200)), (all, cuts) => {
      const text = all.join(" ");
      const places = [...new Set([0, ...cuts, text.length])].toSorted((a, b) => a - b);
      const pieces = places.slice(1).map((end, at) => text.slice(places[at], end));
      const result = wrapped(10, ...pieces);
      expect(result).toBe(wrapWords(text, 10).join("\n"));
      expect(result.split(/\s/)).toEqual(all);
      for (const line of result.split("\n")) expect(line.length).toBeLessThanOrEqual(10);
    }),
  );
});

test.each([
  ["", 0],
  ["tiny:latest", 11],
  ["模型", 4],
  ["e\u0301", 1],
  ["👩‍👩‍👧", 2],
  ["\u001b[31mred\u001b[0m", 3],
])("%j takes %i columns", (text, columns) => {
  expect(cellWidth(text)).toBe(columns);
});
