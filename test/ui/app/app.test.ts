// Tests the program around the screens: live figures, themes, sizes, other programs on its terminal.
// Runs the whole program in an in-memory terminal, with a real server and the tiny model.

import { describe, expect, test } from "vitest";
import { openApp } from "../support/open-app.ts";
import { keys } from "../support/sized-terminal.ts";

const altOne = "\u001b1";
const altThree = "\u001b3";
const controlP = "\u0010";

describe("live figures", () => {
  test("are in a pane if there is room, otherwise in a line", async () => {
    const { screen, server } = await openApp({ columns: 120, rows: 30 });
    await server.ask("What is 2 + 3?");
    await screen.until(/╭─ Engine ─+╮/);
    await screen.until(/│ tiny +● \d m \d\d s left │/);
    await screen.until(/Slots +□□□□ {2}0 of 4 busy/);
    await screen.until(/RAM +\S+ [\d.]+\/[\d.]+ GiB/);
    screen.resize(90, 24);
    await screen.until(/^ 0\.0 tok\/s · /m);
    expect(screen.text).not.toContain("Engine");
    screen.resize(60, 16);
    await screen.until((now) => now.lines.length === 16 && !now.text.includes("CPU"));
    expect(screen.text).toContain("> Send a message");
  });

  test("are marked stale when the server stops", async () => {
    const { screen, server } = await openApp();
    await screen.until(/CPU/);
    await server.close();
    await screen.until(/server down for \d+ s/);
    expect(screen.lines[0]).toContain("✗ 127.0.0.1:11434 down");
  });
});

test("text typed in the chat survives a visit to another screen", async () => {
  const { screen, backend } = await openApp();
  screen.type("half a message 2");
  await screen.until("> half a message 2");
  screen.type(altThree);
  await screen.until("[3 Server]");
  screen.type(altOne);
  await screen.until("> half a message 2");
  screen.type(`${controlP}clear the`);
  await screen.until("Clear the messages");
  screen.type(keys.escape);
  await screen.until((now) => !now.text.includes("Clear the messages"));
  screen.type(" 3\r");
  await screen.until(() => backend.answers.length === 1);
  expect(backend.current.messages.at(-1)?.content).toBe("half a message 2 3");
});

test("Tab completes the commands of all screens", async () => {
  const { screen } = await openApp();
  // In one piece, as over a slow line.
  screen.type(`/serv${keys.tab}${keys.enter}`);
  await screen.until("[3 Server]");
});

test("many resizes in a row leave a clean screen", async () => {
  const { screen } = await openApp({ columns: 120, rows: 40 });
  await screen.until(/CPU/);
  for (let turn = 0; turn < 60; turn += 1) {
    screen.resize(60 + ((turn * 37) % 140), 16 + ((turn * 11) % 40));
  }
  screen.resize(100, 30);
  await screen.until((now) => /^╰─+╯/.test(now.lines[27] ?? ""));
  await screen.until((now) => now.lines.filter((line) => line.includes("modelctl")).length === 1);
  expect(screen.lines[0]).toContain("[1 Chat]");
  expect(screen.text.match(/Send a message/g)).toHaveLength(1);
  expect(screen.text.match(/╭─ Engine/g)).toHaveLength(1);
  expect(screen.lines[29]).toContain("Enter send");
});

test("a theme changes in place, and NO_COLOR removes its colours", async () => {
  const { screen } = await openApp();
  screen.type("/theme mono\r");
  await screen.until("> Send a message");
  screen.type(`${controlP}colours`);
  await screen.until("Change the theme");
  screen.type("\r");
  await screen.until(/> default/);
  screen.type("high\r");
  await screen.until((now) => !now.text.includes("Change the theme"));
  expect(screen.text).toContain("[1 Chat]");
});

test("inline mode keeps what the terminal showed before and after", async () => {
  const { screen, result } = await openApp({ isInline: true, columns: 100, rows: 40 });
  expect(screen.isAlternate).toBe(false);
  expect(screen.lines.filter((line) => line !== "")).not.toHaveLength(0);
  expect(screen.lines.findLastIndex((line) => line.includes("Enter send"))).toBeLessThanOrEqual(24);
  screen.type("/bye\r");
  await expect(result).resolves.toMatchObject({ reason: "bye" });
  expect(screen.bytes).not.toContain("\u001b[?1049h");
  expect(screen.text).toContain("[1 Chat]");
});

describe("for a screen reader", () => {
  test("prints each of the server's requests once, in words", async () => {
    const { screen, server } = await openApp({ isScreenReader: true });
    screen.type(altThree);
    await screen.until("Screen: Server");
    await server.send("/v1/models");
    await screen.until(/GET \/v1\/models - 200/);
    await server.send("/v1/models");
    await screen.until((now) => (now.text.match(/GET \/v1\/models/g) ?? []).length >= 3);
    expect(screen.text).not.toMatch(/[╭│─█▁]/);
    screen.type("/status:4xx");
    await screen.until("Filter: status:4xx");
    screen.type(keys.escape);
    await screen.until("Filter: \n");
    screen.type(controlP);
    await screen.until(/Commands: [\s\S]*Selected: .*1 of \d+/);
  });
});
