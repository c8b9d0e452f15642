// Tests that rows of text are cut and padded by cells, for any characters.

import { describe, expect, test } from "vitest";
import {
  cutText,
  fitRuns,
  fitText,
  harmlessRow,
  runsText,
  runsWidth,
  textBetween,
  wrapText,
} from "../../../source/ui/text/text-run.ts";

const wide = [
  { text: "ab漢", tone: "title" },
  { text: "字cd", tone: "dim" },
] as const;

describe("a part of a text", () => {
  test.each([
    [0, 8, "ab漢字cd"],
    [0, 3, "ab "],
    [3, 8, " 字cd"],
    [2, 4, "漢"],
    [5, 7, " c"],
    [8, 9, ""],
  ])("from cell %i to %i", (from, to, expected) => {
    expect(textBetween(runsText(wide), from, to)).toBe(expected);
  });
});

describe("fitted runs", () => {
  test("are padded with blanks, or cut with an ellipsis", () => {
    expect(runsText(fitRuns(wide, 10, "…"))).toBe("ab漢字cd  ");
    expect(runsText(fitRuns(wide, 8, "…"))).toBe("ab漢字cd");
    expect(runsText(fitRuns(wide, 6, "…"))).toBe("ab漢 …");
    expect(runsText(fitRuns(wide, 1, "..."))).toBe(".");
    expect(runsText(fitRuns(wide, 0, "…"))).toBe("");
  });

  test("keep their tones", () => {
    expect(fitRuns(wide, 6, "…").map(({ tone }) => tone)).toEqual(["title", "dim", "dim"]);
    expect(fitRuns(wide, 9, "…").at(-1)).toEqual({ text: " ", tone: "plain" });
  });

  test.each(Array.from({ length: 12 }, (_, width) => width))("have exactly %i cells", (width) => {
    expect(runsWidth(fitRuns(wide, width, "…"))).toBe(width);
  });
});

test("a text is padded or cut", () => {
  expect(fitText("漢", 4)).toBe("漢  ");
  expect(fitText("漢字", 3)).toBe("漢…");
});

describe("untrusted text", () => {
  const hostile = "a\u001b[2J\tb\nc";

  test("stays on its line with control characters escaped", () => {
    expect(harmlessRow(hostile)).toBe("a^[[2J b c");
  });

  test("is measured with its control characters escaped", () => {
    expect(cutText(hostile, 6)).toBe("a^[[2…");
    expect(fitText(hostile, 12)).toBe("a^[[2J b c  ");
    expect(wrapText(hostile, 7).map(({ text }) => text.trimEnd())).toEqual(["a^[[2J", "b c"]);
  });
});
