// Tests that a narrower window shows one frame and leaves the rows above it unchanged.
// Runs the whole program inline in an in-memory terminal that wraps old rows; tests the counts alone.

import { describe, expect, test } from "vitest";
import { wrappedRows, wrappedRowsInXtermJs } from "../../../source/ui/layouts/inline-frame.tsx";
import { ask, openChat } from "../support/open-chat.ts";

describe("rows added by wrapping", () => {
  test("are those above the cursor, and of its own row those before it", () => {
    expect(wrappedRows([100, 100, 30], { x: 4, y: 2 }, 90)).toBe(2);
    expect(wrappedRows([100, 100, 30], { x: 4, y: 2 }, 40)).toBe(4);
    expect(wrappedRows([100, 100, 90], { x: 85, y: 1 }, 80)).toBe(2);
    expect(wrappedRows([100, 90, 80], { x: 0, y: 0 }, 100)).toBe(0);
    expect(wrappedRows([100, 0, 100], undefined, 50)).toBe(2);
  });

  test("match xterm.js except for the cursor's row", () => {
    expect(wrappedRowsInXtermJs([99, 100, 100, 100, 72, 99], { x: 7, y: 2 }, 90)).toBe(4);
    expect(wrappedRowsInXtermJs([100, 100], { x: 0, y: 1 }, 50)).toBe(1);
    expect(wrappedRowsInXtermJs([100, 0, 100], undefined, 50)).toBe(2);
  });
});

describe("the inline frame", () => {
  test.each([
    ["at the end of a full window", 3],
    ["in a window with room below", 0],
  ])("leaves nothing behind when the window gets narrower and wider, %s", async (_, answers) => {
    const environment = { LANG: "en_GB.UTF-8", TERM_PROGRAM: "vscode" };
    const chat = await openChat({ isInline: true, columns: 100, rows: 30, environment });
    const { screen } = chat;
    for (let count = 0; count < answers; count += 1) {
      await ask(chat, `question ${count}`);
      chat.backend.current.text("- one\n- two\n- three\n- four\n- five\n- six").done();
      await screen.until("Enter send");
    }
    screen.type("abc");
    await screen.until("> abc");
    for (const columns of [90, 70, 61, 80, 64, 100]) {
      screen.resize(columns, 30);
      await screen.until(({ lines }) => lines.includes(`╭${"─".repeat(columns - 2)}╮`));
      await screen.until(({ lines, cursor }) => lines[cursor.y]?.startsWith("│ > abc") ?? false);
      const count = (text: string) => screen.allLines.filter((line) => line.includes(text)).length;
      expect([count("modelctl"), count("╭"), count("> abc"), count("╯")]).toEqual([1, 1, 1, 1]);
      expect(screen.cursor.x).toBe(7);
      expect(count("• six")).toBe(answers);
    }
  });

  test("leaves nothing behind while an answer is written", async () => {
    const environment = { LANG: "en_GB.UTF-8", TERM_PROGRAM: "vscode" };
    const chat = await openChat({ isInline: true, columns: 100, rows: 30, environment });
    const { screen } = chat;
    await ask(chat, "Count");
    chat.backend.current.text("some words that fill a row ".repeat(12));
    await screen.until("some words that fill a row");
    for (const columns of [80, 62, 90]) {
      screen.resize(columns, 30);
      await screen.until(({ lines }) => lines.includes(`╭${"─".repeat(columns - 2)}╮`));
      const count = (text: string) => screen.allLines.filter((line) => line.includes(text)).length;
      expect([count("modelctl"), count("╭"), count("╯"), count(" assistant")]).toEqual([
        1, 1, 1, 1,
      ]);
    }
    chat.backend.current.done();
    await screen.until("62.0 tok/s");
    expect(screen.allLines.filter((line) => line.startsWith(" assistant"))).toHaveLength(1);
  });

  test("shows the cursor at the input, below everything above it", async () => {
    const chat = await openChat({ isInline: true, columns: 80, rows: 30 });
    const { screen } = chat;
    const isInField = () =>
      screen.until(({ lines, cursor }) => {
        return cursor.x === 4 && (lines[cursor.y]?.startsWith("│ > Send a message") ?? false);
      });
    await isInField();
    await ask(chat, "Count");
    chat.backend.current.text("one\n\ntwo\n\nthree");
    await screen.until("three");
    await isInField();
    chat.backend.current.done();
    await screen.until("62.0 tok/s");
    await isInField();
  });
});
