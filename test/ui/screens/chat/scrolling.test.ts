// Tests that new output never moves a scrolled view, and that the way to the newest text is visible.
// Runs the whole screen in an in-memory terminal, and compares rows before and after new output.

import { expect, test } from "vitest";
import { ask, type OpenChat, openChat } from "../../support/open-chat.ts";
import { keys } from "../../support/sized-terminal.ts";

function numberedLines(first: number, last: number): string {
  return Array.from({ length: last - first + 1 }, (_, index) => `row ${first + index}\n`).join("");
}

function rowsOnShow({ screen }: OpenChat): string[] {
  return screen.lines.filter((line) => line.includes("row ")).map((line) => line.trim());
}

async function openLongAnswer(): Promise<OpenChat> {
  const chat = await openChat({ columns: 80, rows: 24 });
  await ask(chat, "Count");
  chat.backend.current.text(numberedLines(1, 60));
  await chat.screen.until("row 60");
  return chat;
}

test("new output scrolls the view until PgUp, then the view stays", async () => {
  const chat = await openLongAnswer();
  await chat.screen.typeUntil(keys.pageUp, /\d+ lines below · End to follow/);
  const before = rowsOnShow(chat);
  expect(before).not.toContain("row 60");
  chat.backend.current.text(numberedLines(61, 65));
  await chat.screen.until("5 new lines · End to follow");
  expect(rowsOnShow(chat)).toEqual(before);
  chat.backend.current.done();
  await chat.screen.until("context 43/4096");
  expect(rowsOnShow(chat)).toEqual(before);
  await chat.screen.typeUntil(keys.end, "row 65");
  expect(chat.screen.text).not.toContain("End to follow");
  await chat.screen.typeUntil(keys.pageUp + keys.pageDown, "row 65");
});

test("Home shows the first message, and PgDn reaches every row after it", async () => {
  const chat = await openLongAnswer();
  await chat.screen.typeUntil(keys.home, /you .*\n Count/);
  const seen = new Set(rowsOnShow(chat));
  for (let page = 0; page < 5; page += 1) {
    const top = chat.screen.lines[2];
    await chat.screen.typeUntil(keys.pageDown, (screen) => screen.lines[2] !== top);
    for (const row of rowsOnShow(chat)) seen.add(row);
    if (chat.screen.text.includes("row 60")) break;
  }
  expect(seen).toEqual(new Set(numberedLines(1, 60).trim().split("\n")));
});

test("a new width keeps the position", async () => {
  const chat = await openLongAnswer();
  await chat.screen.typeUntil(keys.pageUp, "End to follow");
  const top = chat.screen.lines[2];
  chat.screen.resize(100, 24);
  await chat.screen.until((screen) => screen.lines[19]?.length === 100);
  const place = Number(/row (\d+)/.exec(chat.screen.lines[2] ?? "")?.[1]);
  // Short lines do not wrap, so the estimate at half the width is wrong.
  expect(place).toBeGreaterThan(20);
  chat.screen.resize(80, 24);
  await chat.screen.until((screen) => screen.lines[2] === top);
});

test("sending returns to the end", async () => {
  const chat = await openLongAnswer();
  chat.backend.current.done();
  await chat.screen.until("context 43/4096");
  await chat.screen.typeUntil(keys.pageUp, "End to follow");
  await ask(chat, "another");
  await chat.screen.until(/you .*\n another/);
});

test("End moves to the end of the line once the view is at the end", async () => {
  const chat = await openLongAnswer();
  await chat.screen.typeUntil("abc", "> abc");
  await chat.screen.typeUntil(`${keys.home}X${keys.end}Y`, "> XabcY");
  expect(chat.screen.text).toContain("row 60");
});
