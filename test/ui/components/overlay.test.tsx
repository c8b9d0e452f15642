// Tests that questions are shown in full, and that lists show the selection, also to screen readers.
// Draws overlays of a frame at several sizes; for screen readers in an in-memory terminal.

import { beforeEach, describe, expect, test } from "vitest";
import type { Frame } from "../../../source/ui/frame/frame.ts";
import { FakeScreen, sampleFrame } from "../support/fake-screen.tsx";
import { frameLines, openReader, programOf } from "../support/render.tsx";

let frame: Frame;

function createFrame(rowLength = 80): Frame {
  const created = sampleFrame();
  const screen = new FakeScreen("chat", "Chat");
  screen.lines = Array.from({ length: 40 }, (_, row) => `${row} ${"x".repeat(rowLength)}`);
  created.start([screen]);
  return created;
}

beforeEach(() => {
  frame = createFrame();
});

describe("a question", () => {
  test("is at the bottom, over the whole width", () => {
    void frame.ask("Copy tiny to", "tiny-copy");
    const lines = frameLines(frame);
    expect(lines.slice(11)).toEqual([
      `╭${"─".repeat(58)}╮`,
      `│ Copy tiny to${" ".repeat(45)}│`,
      `│ > tiny-copy${" ".repeat(46)}│`,
      `╰${"─".repeat(58)}╯`,
      " Enter confirm  Esc cancel",
    ]);
    expect(lines[10]).toMatch(/^9 x+/);
  });

  test("grows with several lines and keeps the cursor visible", () => {
    void frame.write("System text", "one\ntwo");
    expect(frameLines(frame).slice(10)).toEqual([
      `╭${"─".repeat(58)}╮`,
      `│ System text${" ".repeat(46)}│`,
      `│ > one${" ".repeat(52)}│`,
      `│   two${" ".repeat(52)}│`,
      `╰${"─".repeat(58)}╯`,
      " Enter confirm  Ctrl+J newline  Ctrl+G editor  Esc cancel",
    ]);
    frame.paste("\nmore".repeat(20));
    frame.paste("\nlast");
    const lines = frameLines(frame);
    expect(lines).toHaveLength(16);
    expect(lines[13]).toMatch(/^│ {3}last +│$/);
  });

  test("that is too long loses its beginning, never its answer", () => {
    void frame.confirm(`Delete this? ${"It frees much. ".repeat(80)}THE END.`);
    const lines = frameLines(frame);
    expect(lines).toHaveLength(16);
    expect(lines[1]).toMatch(/^╭─+╮$/);
    expect(lines[13]).toMatch(/^│ \[ No \] {4}Yes +│$/);
    expect(lines.join("\n")).toContain("THE END.");
  });

  test("waits with its yes until the consequences are visible", async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    void frame.confirm("Delete tiny?", promise);
    expect(frameLines(frame).join("\n")).toContain("◐ calculating…");
    resolve("Deleting it frees 3 MB.");
    await promise;
    await Promise.resolve();
    const lines = frameLines(frame).join("\n");
    expect(lines).toContain("Delete tiny? Deleting it frees 3 MB.");
    expect(lines).toContain("[ No ]    Yes");
  });
});

describe("a list", () => {
  const choices = ["one", "two", "three"].map((value) => ({ value, title: value, note: "a note" }));

  test("is in the middle, with a filter field", () => {
    void frame.choose("Numbers", choices);
    frame.press({ kind: "text", text: "t" });
    const lines = frameLines(frame);
    expect(lines[1]).toMatch(/╭─ Numbers ─+╮/);
    expect(lines[2]).toMatch(/│ > t +│/);
    expect(lines[4]).toMatch(/│ > t\w+ +a note │/);
    expect(lines.join("\n")).toMatch(/─ 1 of \d ─╯/);
  });

  test("says when nothing matches", () => {
    void frame.choose("Numbers", choices);
    frame.press({ kind: "text", text: "zzz" });
    expect(frameLines(frame).join("\n")).toContain("No matches. Esc to close.");
  });

  test("is drawn in ASCII if Unicode is unavailable", () => {
    frame = createFrame(20);
    void frame.choose("Numbers", choices);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: everything beyond ASCII is the subject
    expect(frameLines(frame, { isAscii: true }).join("\n")).not.toMatch(/[^\x00-\x7f]/);
  });
});

test("screen readers get the question and the selected item, without positions", async () => {
  const screen = openReader(programOf(frame, "reader"), 80, 30);
  // The columns of a table are read as a sentence.
  void frame.choose("Numbers", [{ value: "1", title: "one    1  ", note: "first" }]);
  await screen.until("Numbers: \nSelected: one, 1 first, 1 of 1");
  frame.press({ kind: "key", name: "Esc" });
  void frame.confirm("Delete tiny?");
  await screen.until("Delete tiny? No is selected; y or n.");
  expect(screen.text).not.toMatch(/[╭│─]/);
});
