// Tests that a single-line field handles every editing key, scrolls, and places the cursor.
// Draws the program's root with a question in an in-memory terminal; types keys as terminals send them.

import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { TextField } from "../../../source/ui/components/text-field.tsx";
import { createEditorState } from "../../../source/ui/editor/editor-state.ts";
import {
  fieldAfterKey,
  fieldAfterText,
  fieldWindow,
  fieldWith,
} from "../../../source/ui/editor/line-field.ts";
import { fieldCommandFacts } from "../../../source/ui/frame/command-table.ts";
import { FakeScreen, sampleFrame } from "../support/fake-screen.tsx";
import { openTree, programOf, renderAt } from "../support/render.tsx";
import type { SizedTerminal } from "../support/sized-terminal.ts";

const columns = 60;
const rows = 16;
const empty = createEditorState();

/** A program that asks one question, and the answer to it. */
function ask(initial: string): { screen: SizedTerminal; answer: Promise<string | undefined> } {
  const frame = sampleFrame();
  frame.start([new FakeScreen("chat", "Chat")]);
  const answer = frame.ask("Find", initial);
  return { screen: openTree(programOf(frame), columns, rows), answer };
}

describe("keys", () => {
  test.each<[name: string, initial: string, keys: string, expected: string]>([
    ["letters", "", "ab", "ab"],
    ["Ctrl+A", "ab", "\u0001x", "xab"],
    ["Ctrl+E", "ab", "\u0001\u0005x", "abx"],
    ["Ctrl+W", "one two", "\u0017", "one "],
    ["Ctrl+U", "one two", "\u0015", ""],
    ["Ctrl+K", "ab", "\u001b[H\u000b", ""],
    ["Alt+B", "one two", "\u001bbx", "one xtwo"],
    ["Alt+Left", "one two", "\u001b[1;3Dx", "one xtwo"],
    ["Home", "ab", "\u001b[Hx", "xab"],
    ["Delete", "ab", "\u001b[H\u001b[3~", "b"],
    ["Left", "ab", "\u001b[Dx", "axb"],
    ["Backspace on a suggestion", "ab", "\u007f", ""],
    ["Backspace", "ab", "\u001b[F\u007f", "a"],
    ["Backspace twice in one tick", "abc", "\u001b[F\u007f\u007f", "a"],
    ["Backspace on an emoji", "a👍🏽", "\u001b[F\u007f", "a"],
    ["Backspace on a family", "a👨‍👩‍👧", "\u001b[F\u007f", "a"],
    ["Left over an emoji", "a👍", "\u001b[Dx", "ax👍"],
    ["Backspace on an accent", "cafe\u0301", "\u001b[F\u007f", "caf"],
    ["Left over a wide character", "日本", "\u001b[Dx", "日x本"],
    ["a marked paste of lines", "", "\u001b[200~a\r\nb\nc\u001b[201~", "a b c"],
    ["a control character in a paste", "", "\u001b[200~a\u0007b\u001b[201~", "ab"],
    ["Tab", "a", "\t", "a"],
    ["F1", "a", "\u001bOP", "a"],
    ["Up", "a", "\u001b[A", "a"],
    ["PageUp", "a", "\u001b[5~", "a"],
    ["Ctrl+P", "a", "\u0010", "a"],
    ["Alt+S", "a", "\u001bs", "a"],
    ["Ctrl+J", "a", "\n", "a"],
  ])("%s", async (_name, initial, keys, expected) => {
    const { screen, answer } = ask(initial);
    await screen.until("Find");
    screen.type(keys);
    // Enter in the same piece as a tab would be a paste.
    await setImmediate();
    screen.type("\r");
    await expect(answer).resolves.toBe(expected);
  });

  test("text and Enter in one chunk are the answer", async () => {
    const { screen, answer } = ask("");
    await screen.until("Find");
    screen.type("ab\r");
    await expect(answer).resolves.toBe("ab");
  });

  test("Esc returns no answer", async () => {
    const { screen, answer } = ask("a");
    await screen.until("Find");
    screen.type("\u001b");
    await expect(answer).resolves.toBeUndefined();
  });

  test("every advertised key edits, and no key has two meanings", () => {
    const keys = fieldCommandFacts.flatMap((command) => command.keys);
    expect(keys).toEqual([...new Set(keys)]);
    const field = fieldWith(empty, "status:4xx words");
    for (const key of keys) expect(fieldAfterKey(field, key)).toBeDefined();
    expect(fieldAfterKey(field, "Ctrl+W")?.text).toBe("status:4xx ");
    expect(fieldAfterKey(field, "Home")?.cursor).toBe(0);
    expect(fieldAfterKey(field, "Enter")).toBeUndefined();
  });

  test("pasted text stays on one line", () => {
    expect(fieldAfterText(empty, "a\r\nb\tc\u001b[31m").text).toBe("a b c[31m");
  });
});

describe("the cursor", () => {
  test("follows the text, also after wide characters", async () => {
    const { screen } = ask("");
    await screen.until("> ");
    const row = rows - 3;
    await screen.until((now) => now.cursor.x === 4 && now.cursor.y === row);
    screen.type("日本");
    await screen.until((now) => now.cursor.x === 8 && now.cursor.y === row);
    screen.type("\u001b[D");
    await screen.until((now) => now.cursor.x === 6 && now.cursor.y === row);
  });

  test("stays visible in a value longer than the field", async () => {
    const { screen } = ask("");
    await screen.until("> ");
    screen.type("x".repeat(100));
    screen.type("END");
    await screen.until((now) => now.text.includes("xEND") && now.cursor.x === columns - 3);
    screen.type("\u001b[H");
    await screen.until((now) => now.text.includes("> xxx") && now.cursor.x === 4);
    expect(screen.text).not.toContain("END");
  });

  test("keeps the part of the value around it in view", () => {
    const field = fieldWith(empty, "abcdefghij");
    expect(fieldWindow(field, 6)).toEqual({ text: "fghij", cursorX: 5 });
    const start = fieldAfterKey(field, "Home") ?? field;
    expect(fieldWindow(start, 6)).toEqual({ text: "abcdef", cursorX: 0 });
    expect(fieldWindow(fieldWith(empty, "漢字漢字"), 6)).toEqual({ text: " 漢字", cursorX: 5 });
  });
});

test("an empty field shows its placeholder", () => {
  const field = <TextField field={empty} width={20} placeholder="owner/name" />;
  expect(renderAt(field).text()).toBe("owner/name");
  const filled = <TextField field={fieldWith(empty, "x")} width={20} placeholder="owner/name" />;
  expect(renderAt(filled).text()).toBe("x");
});

test("control characters are shown in caret notation", () => {
  const field = { text: "a\u0007b", cursor: 3 };
  expect(renderAt(<TextField field={field} width={20} />).text()).toBe("a^Gb");
  expect(renderAt(<TextField field={field} width={20} />, { isAscii: true }).text()).toBe("a^Gb");
});
