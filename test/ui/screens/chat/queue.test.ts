// Tests that messages typed during an answer are sent in order, and never by surprise.
// Runs the whole screen in an in-memory terminal with a scripted model.

import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../support/model-store.ts";
import { ask, type OpenChat, type OpenChatOptions, openChat } from "../../support/open-chat.ts";
import { keys } from "../../support/sized-terminal.ts";

/** A chat with a running answer and these queued messages. */
async function withQueue(typed: readonly string[], options?: OpenChatOptions): Promise<OpenChat> {
  const chat = await openChat(options);
  await ask(chat, "first");
  chat.backend.current.text("working");
  for (const [index, text] of typed.entries()) {
    await chat.screen.typeUntil(`${text}\r`, `${index + 1} queued`);
  }
  return chat;
}

function contents({ backend }: OpenChat): string[] {
  return backend.current.messages.map(({ content }) => content);
}

test("queued messages wait below the field, each sent after the answer before it", async () => {
  const chat = await withQueue(["second", "third"]);
  expect(chat.screen.text).toMatch(
    /> Send a message[\s\S]*2 queued: Up edits the last ─╯\n {2}◌ second\n {2}◌ third/,
  );
  expect(chat.backend.answers).toHaveLength(1);
  chat.backend.current.text(" 1").done();
  await chat.screen.until(() => chat.backend.answers.length === 2);
  expect(contents(chat)).toEqual(["first", "working 1", "second"]);
  chat.backend.current.text("done 2").done("length");
  await chat.screen.until(() => chat.backend.answers.length === 3);
  expect(contents(chat).at(-1)).toBe("third");
  await chat.screen.until(({ text }) => !text.includes("queued"));
});

test("many queued messages take few rows: the rest is counted", async () => {
  const chat = await withQueue(["two", "three", "four", "five"], { columns: 60, rows: 20 });
  expect(chat.screen.text).toMatch(/◌ two\n {2}◌ three\n {2}… 2 more/);
});

test("Up edits the last queued message", async () => {
  const chat = await withQueue(["second", "thrid"]);
  await chat.screen.typeUntil(keys.up, "> thrid");
  await chat.screen.until("1 queued");
  await chat.screen.typeUntil(`${keys.backspace.repeat(3)}ird${keys.enter}`, "◌ third");
  await chat.screen.typeUntil(`${keys.up}\x15`, "1 queued");
  chat.backend.current.done();
  await chat.screen.until(() => chat.backend.answers.length === 2);
  expect(contents(chat).at(-1)).toBe("second");
  chat.backend.current.done();
  await chat.screen.until("Enter send");
  expect(chat.backend.answers).toHaveLength(2);
});

describe("a stopped or failed answer", () => {
  test("holds the queue until Enter on an empty line", async () => {
    const chat = await withQueue(["second"]);
    await chat.screen.typeUntil(keys.escape, "1 held: Enter sends the next, Up edits the last");
    await ask(chat, "something else");
    chat.backend.current.text("ok").done();
    await chat.screen.until("Enter send");
    expect(chat.backend.answers).toHaveLength(2);
    await chat.screen.typeUntil(keys.enter, () => chat.backend.answers.length === 3);
    expect(contents(chat).at(-1)).toBe("second");
  });

  test("before its first word returns to the field without any queued text", async () => {
    const chat = await openChat();
    await ask(chat, "first");
    await chat.screen.typeUntil("second\r", "1 queued");
    chat.backend.current.fail("Out of memory.");
    await chat.screen.until("> first");
    await chat.screen.until("1 held");
    expect(chat.backend.answers).toHaveLength(1);
  });
});

test("files are read when their message is queued, and a missing one is reported then", async () => {
  const folder = temporaryFolder();
  await writeFile(path.join(folder, "notes.txt"), "Buy milk.\n");
  const chat = await withQueue([], { folder });
  await chat.screen.typeUntil("Read @gone.txt\r", "Not found: gone.txt.");
  await chat.screen.typeUntil("\x15Read @notes.txt\r", "1 queued");
  await rm(path.join(folder, "notes.txt"));
  chat.backend.current.done();
  await chat.screen.until(() => chat.backend.answers.length === 2);
  expect(contents(chat).at(-1)).toContain("Buy milk.");
});

test("queued messages are in the history after quitting", async () => {
  const folder = temporaryFolder();
  const historyFile = path.join(folder, "history");
  const chat = await withQueue(["second"], { historyFile });
  chat.screen.hangUp();
  await chat.result;
  const next = await openChat({ historyFile });
  await next.screen.typeUntil(keys.up, "> second");
});

test("another conversation does not get the queue, and says so", async () => {
  const chat = await withQueue(["second"]);
  await chat.screen.typeUntil(keys.escape, "1 held");
  await chat.screen.typeUntil("\u000e", "Not sent: 1 queued message. Press Up to recall");
  expect(chat.screen.text).not.toContain("held");
  await chat.screen.typeUntil(keys.up, "> second");
});

test("inline mode shows the queue below the field", async () => {
  const chat = await withQueue(["second"], { isInline: true });
  expect(chat.screen.text).toMatch(/1 queued: Up edits the last ─╯\n {2}◌ second/);
});

test("a screen reader gets the length of the queue", async () => {
  const chat = await openChat({ isScreenReader: true });
  await ask(chat, "first");
  await chat.screen.typeUntil("second\r", "Queue: 1 queued: Up edits the last");
});
