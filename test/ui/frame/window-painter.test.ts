// Goal: a picture that is painted over another one looks as if it were the first, and costs only what differs.
// Method: pictures painted one after the other into a terminal in memory, beside one painted at once.

import headless from "@xterm/headless";
import chalk from "chalk";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RowPainter } from "../../../source/ui/frame/row-painter.ts";
import type { ScreenPicture, Span, StyledRow } from "../../../source/ui/frame/screen.ts";
import { themes } from "../../../source/ui/frame/themes.ts";
import { WindowPainter } from "../../../source/ui/frame/window-painter.ts";
import type { Tone } from "../../../source/ui/theme.ts";

const columns = 20;
const height = 4;
const painter = new RowPainter(themes.default);
const { level } = chalk;

// The test runner decides whether there are colours; here they are compared.
beforeAll(() => {
  chalk.level = 1;
});
afterAll(() => {
  chalk.level = level;
});

/** A window, what was written to it, and how its cells look. */
function openWindow() {
  const terminal = new headless.Terminal({ cols: columns, rows: height, allowProposedApi: true });
  const written: string[] = [];
  const window = new WindowPainter((bytes) => {
    written.push(bytes);
    terminal.write(bytes);
  });
  const settled = () => new Promise<void>((resolve) => terminal.write("", resolve));
  const cells = async () => {
    await settled();
    return Array.from({ length: height }, (_, y) => {
      const line = terminal.buffer.active.getLine(y);
      return Array.from({ length: columns }, (_, x) => {
        const cell = line?.getCell(x);
        return `${cell?.getChars() || " "}/${cell?.getFgColor()}/${cell?.isBold()}/${cell?.isInverse()}`;
      }).join(" ");
    });
  };
  const text = async () => {
    await settled();
    return Array.from(
      { length: height },
      (_, y) => terminal.buffer.active.getLine(y)?.translateToString(true) ?? "",
    );
  };
  const cursor = async () => {
    await settled();
    const { cursorX: x, cursorY: y } = terminal.buffer.active;
    return { x, y };
  };
  const paint = (rows: readonly StyledRow[], at?: ScreenPicture["cursor"]) =>
    window.paint({ rows: filled(rows), cursor: at, columns, painter });
  return { terminal, window, written, cells, text, cursor, paint };
}

function filled(rows: readonly StyledRow[]): readonly StyledRow[] {
  return Array.from({ length: height }, (_, y) => rows[y] ?? []);
}

function row(text: string, tone: Tone = "plain"): StyledRow {
  return [{ text, tone }];
}

const pieces = ["a", "b", "e", " ", "  ", "e\u0301", "漢", "字", "│", "█", "\u200b", "\u0007"];
const anySpan: fc.Arbitrary<Span> = fc.record({
  text: fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join("")),
  tone: fc.constantFrom<Tone>("plain", "error", "tab"),
});
const anyRow = fc.array(anySpan, { maxLength: 4 });
const anyPicture = fc.array(anyRow, { maxLength: height });

test("pictures over one another leave nothing of those before", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyPicture, { minLength: 2, maxLength: 5 }), async (pictures) => {
      const [over, alone] = [openWindow(), openWindow()];
      for (const picture of pictures) over.paint(picture);
      alone.paint(pictures.at(-1) ?? []);
      expect(await over.cells()).toEqual(await alone.cells());
    }),
    { numRuns: 200 },
  );
});

describe("what is written", () => {
  test("is nothing for the same picture, and a cursor for a cursor", async () => {
    const { paint, written, cursor } = openWindow();
    paint([row("one"), row("two", "error")], { x: 1, y: 1 });
    paint([row("one"), row("two", "error")], { x: 1, y: 1 });
    expect(written).toHaveLength(1);
    paint([row("one"), row("two", "error")], { x: 2, y: 0 });
    expect(written).toHaveLength(2);
    expect(written[1]).not.toContain("one");
    expect(await cursor()).toEqual({ x: 2, y: 0 });
  });

  test("is what an answer has more, not the pane beside it", async () => {
    const { paint, written, text } = openWindow();
    const answer = (words: string): StyledRow => [
      { text: words.padEnd(14), tone: "plain" },
      { text: "│ pane", tone: "border" },
    ];
    paint([answer("one")]);
    paint([answer("one two")]);
    expect(await text()).toContain("one two       │ pane");
    expect(written[1]).toContain("two");
    expect(written[1]).not.toMatch(/one|pane/);
  });

  test("is everything once somebody else has written", async () => {
    const { paint, terminal, window, text } = openWindow();
    paint([row("one"), row("two")]);
    terminal.write("\u001b[1;1Hstain\u001b[4;1Hstain");
    paint([row("one"), row("three")]);
    expect(await text()).toEqual(["stain", "three", "", "stain"]);
    window.forget();
    paint([row("one"), row("three")]);
    expect(await text()).toEqual(["one", "three", "", ""]);
  });

  test("is the last cell too, and what was there before is gone", async () => {
    const { paint, text } = openWindow();
    const full = "x".repeat(columns);
    paint([row(full), row(full), row(full), row(full)]);
    paint([row(full), row(full.slice(1)), row(`${full.slice(1)}y`), row(full, "error")]);
    expect(await text()).toEqual([full, full.slice(1), `${full.slice(1)}y`, full]);
  });

  test("stays in its row, also where a terminal thinks a character wider", async () => {
    const { paint, terminal, text } = openWindow();
    // To this terminal a mark that follows other colours is a character by itself.
    paint([[...row("x".repeat(columns)), { text: "\u0301", tone: "error" }], row("two")]);
    paint([[...row("x".repeat(columns)), { text: "\u0301", tone: "tab" }], row("two")]);
    expect(await text()).toEqual([expect.stringMatching(/^x{19}/), "two", "", ""]);
    expect(terminal.modes.wraparoundMode).toBe(true);
  });

  test("commands no terminal", async () => {
    const { paint, written, text } = openWindow();
    paint([row("a\u001b]0;owned\u0007b\u009b5Ac\u200bd")]);
    for (const command of ["\u001b]", "\u0007", "\u009b", "\u200b"]) {
      expect(written[0]).not.toContain(command);
    }
    expect((await text())[0]).toBe("a]0;ownedb5Acd");
  });
});
