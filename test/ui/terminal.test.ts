// Tests that the terminal is used correctly and restored, at any size and however the program ends.
// Runs the whole screen in an in-memory terminal; reads buffer, cursor, modes and rows.

import { describe, expect, onTestFinished, test, vi } from "vitest";
import { ask, openChat } from "./support/open-chat.ts";
import { keys, SizedTerminal } from "./support/sized-terminal.ts";

function expectWholeFrame(screen: SizedTerminal, columns: number, rows: number): void {
  const { lines } = screen;
  expect(lines[0]).toContain("modelctl  [1 Chat]");
  expect(lines.filter((line) => line.includes("modelctl"))).toHaveLength(1);
  // Longer lines would be hard to read.
  const width = Math.min(columns, 102);
  expect(lines[rows - 5]).toBe(`╭${"─".repeat(width - 2)}╮`);
  expect(lines[rows - 3]).toBe(`╰${"─".repeat(width - 2)}╯`);
  expect(lines[rows - 1]).toContain("Enter send");
}

describe("the window", () => {
  test("is redrawn after every resize", async () => {
    const { screen, backend } = await openChat({ columns: 100, rows: 30 });
    expectWholeFrame(screen, 100, 30);
    screen.type("hello\r");
    await screen.until(() => backend.answers.length === 1);
    backend.current.text("A line that is long enough to be wrapped at sixty columns wide.").done();
    await screen.until("context 43/4096");
    screen.resize(60, 16);
    await screen.until((now) => now.lines[13]?.startsWith("╰") ?? false);
    expectWholeFrame(screen, 60, 16);
    expect(screen.text).toMatch(/at sixty columns\n wide\./);
    screen.resize(23, 6);
    await screen.until("Too small: 23x6");
    expect(screen.text).toContain("needs 24x7");
    expect(screen.text).not.toContain("╭");
    screen.resize(250, 80);
    await screen.until((now) => now.lines[77]?.startsWith("╰") ?? false);
    expectWholeFrame(screen, 250, 80);
    screen.resize(100, 30);
    await screen.until((now) => now.lines[27]?.startsWith("╰") ?? false);
    expectWholeFrame(screen, 100, 30);
  });

  test("that is small shows messages and field, and the chat goes on", async () => {
    const chat = await openChat({ columns: 40, rows: 10 });
    const { screen } = chat;
    expect(screen.text).not.toContain("modelctl");
    await ask(chat, "hello");
    chat.backend.current.text("Hi there.");
    await screen.until(/^ Hi there\.$/m);
    expect(screen.lines[5]).toBe(`╭${"─".repeat(38)}╮`);
    chat.backend.current.done();
    await screen.until("Enter send");
    // The cursor stands in the field, and lists open.
    expect(screen.cursor).toEqual({ x: 4, y: 6 });
    await screen.typeUntil("/model\r", "Switch to another model");
    await screen.typeUntil("lar\r", "Switched to large.");
    screen.resize(24, 7);
    await screen.until((now) => now.lines[2] === `╭${"─".repeat(22)}╮`);
    await ask(chat, "again");
    chat.backend.current.text("Yes.").done();
    await screen.until(/^ Yes\.$/m);
  });

  test("that is too small still shows progress, and Esc still stops", async () => {
    const chat = await openChat();
    await ask(chat, "hello");
    chat.backend.current.text("Hi");
    chat.screen.resize(23, 6);
    await chat.screen.until(/Too small[\s\S]*TTFT/);
    chat.screen.type("lost?");
    chat.screen.type(keys.escape);
    await chat.screen.until(() => chat.backend.current.signal.aborted);
    chat.screen.resize(80, 24);
    await chat.screen.until("stopped");
    expect(chat.screen.text).toContain("> Send a message");
  });

  test("is clean after Ctrl+L", async () => {
    const { screen } = await openChat();
    const before = screen.text;
    await screen.smudge("\x1b7\x1b[3;10HSTAIN\x1b[1;1HSTAIN\x1b8");
    expect(screen.text).toContain("STAIN");
    screen.type(keys.ctrlL);
    await screen.until((now) => now.text === before);
  });
});

test("output printed by a library is erased from the screen", async () => {
  const screen = new SizedTerminal(100, 30);
  const standardOutput = vi
    .spyOn(process, "stdout", "get")
    .mockReturnValue(screen.stdout as typeof process.stdout);
  onTestFinished(() => standardOutput.mockRestore());
  await openChat({ screen });
  const before = screen.text;
  console.log("PRINTED by a library");
  await screen.until((now) => now.bytes.includes("PRINTED") && now.text === before);
});

test("output of another program is erased by Ctrl+L", async () => {
  const { screen } = await openChat();
  const before = screen.text;
  await screen.smudge("\x1b[10;1HPRINTED by another program\n\n");
  expect(screen.text).toContain("PRINTED");
  screen.type(keys.ctrlL);
  await screen.until((now) => now.text === before);
});

describe("leaving", () => {
  test.each([
    ["/bye", "/bye\r", "bye"],
    ["/exit", "/exit\r", "bye"],
    ["Ctrl+D on an empty line", keys.ctrlD, "bye"],
    ["Ctrl+C twice", keys.ctrlC + keys.ctrlC, "interrupted"],
  ])("with %s restores the terminal and prints the reason", async (_name, bytes, reason) => {
    const { screen, result } = await openChat();
    expect(screen.isAlternate).toBe(true);
    expect(screen.isRaw).toBe(true);
    screen.type(bytes);
    await expect(result).resolves.toEqual({ reason, transcript: [] });
    await screen.until((now) => !now.isAlternate);
    expect(screen.isRaw).toBe(false);
    expect(screen.bytes.lastIndexOf("\x1b[?25h")).toBeGreaterThan(
      screen.bytes.lastIndexOf("\x1b[?25l"),
    );
    expect(screen.bytes.lastIndexOf("\x1b[?2004l")).toBeGreaterThan(
      screen.bytes.lastIndexOf("\x1b[?2004h"),
    );
  });

  test("in the middle of an answer stops it and saves what was said", async () => {
    const chat = await openChat();
    await ask(chat, "Count");
    chat.backend.current.text("one two");
    await chat.screen.until("one two");
    chat.screen.type(keys.ctrlD);
    await expect(chat.result).resolves.toEqual({
      reason: "bye",
      transcript: [
        { role: "user", content: "Count" },
        { role: "assistant", content: "one two" },
      ],
    });
    expect(chat.backend.current.signal.aborted).toBe(true);
  });

  test("happens when the terminal goes away", async () => {
    const { screen, result } = await openChat();
    screen.hangUp();
    await expect(result).resolves.toMatchObject({ reason: "interrupted" });
  });

  test("does not happen on Ctrl+D or one Ctrl+C while the field has text", async () => {
    const { screen } = await openChat();
    screen.type("abc");
    screen.type(keys.home);
    screen.type(keys.ctrlD);
    await screen.until("> bc");
    screen.type(keys.ctrlC);
    await screen.until("Ctrl+C again to quit");
    await screen.until("> Send a message");
    screen.type(keys.up);
    await screen.until("> bc");
  });
});

describe("text from the model", () => {
  test("cannot send control sequences", async () => {
    const chat = await openChat();
    await ask(chat, "hack me");
    chat.backend.current
      .text("\x1b[2J\x1b]0;owned\x07\x1b[31mred")
      .text("\x9b5A \x1b[?1049l end\u202eof\r\nline")
      .done();
    await chat.screen.until("end");
    await chat.screen.until("context 43/4096");
    const { screen } = chat;
    expect(screen.isAlternate).toBe(true);
    expect(screen.lines[0]).toContain("modelctl");
    expect(screen.text).toContain("^[[2J^[]0;owned^G^[[31mred\\x9b5A ^[[?1049l endof\n line");
    expect(screen.bytes).not.toContain("\x1b]0;owned");
    expect(screen.bytes).not.toContain("\x1b[31mred");
  });

  test("keeps fenced code separate and indented", async () => {
    const chat = await openChat();
    await ask(chat, "code");
    chat.backend.current.text("Look:\n```js\nif (a) {\n\tb();\n}\n```\nDone.").done();
    await chat.screen.until("Done.");
    const at = chat.screen.lines.findIndex((line) => line.includes("┌─ js"));
    expect(chat.screen.lines.slice(at, at + 6)).toEqual([
      " ┌─ js",
      " │ if (a) {",
      " │     b();",
      " │ }",
      " └─",
      " Done.",
    ]);
  });
});

describe("a plain terminal", () => {
  test("without UTF-8 shows only ASCII", async () => {
    const chat = await openChat({ environment: { LC_ALL: "C" } });
    await ask(chat, "hello");
    chat.backend.current.text("one\x1btwo").fail("It broke.");
    await chat.screen.until("x It broke.");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII is the subject
    expect(chat.screen.text).toMatch(/^[\x00-\x7f]*$/);
    expect(chat.screen.text).toContain("one^[two");
    expect(chat.screen.text).toContain("* 127.0.0.1:11434");
  });
});
