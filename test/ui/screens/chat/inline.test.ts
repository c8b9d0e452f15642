// Tests that the inline layout prints each message once as plain text, and repaints little.
// Runs the whole program in an in-memory terminal, and counts rows on the screen and above it.

import { describe, expect, test } from "vitest";
import type { SessionMessage } from "../../../../source/chat/sessions/session.ts";
import { SessionStore } from "../../../../source/chat/sessions/session-store.ts";
import { temporaryFolder } from "../../../support/model-store.ts";
import { ask, type OpenChat, type OpenChatOptions, openChat } from "../../support/open-chat.ts";
import { keys } from "../../support/sized-terminal.ts";

async function openInline(options: OpenChatOptions = {}): Promise<OpenChat> {
  return await openChat({ columns: 80, rows: 30, isInline: true, ...options });
}

async function say(chat: OpenChat, question: string, answer: string): Promise<void> {
  await ask(chat, question);
  chat.backend.current.text(answer).done();
  await chat.screen.until(({ allLines }) => allLines.some((line) => line.includes(answer)));
  await chat.screen.until("62.0 tok/s");
}

function count({ screen }: OpenChat, text: string): number {
  return screen.allLines.filter((line) => line.includes(text)).length;
}

/** Rows from the tabs to the hints. */
function liveRows({ screen }: OpenChat): number {
  const top = screen.lines.findIndex((line) => line.includes("modelctl"));
  const bottom = screen.lines.findLastIndex((line) => line.trim() !== "");
  return bottom - top + 1;
}

describe("finished messages", () => {
  test("are printed above the program, each once and in order", async () => {
    const chat = await openInline();
    await say(chat, "first question", "first answer");
    await say(chat, "second question", "second answer");
    const { allLines } = chat.screen;
    const at = (text: string) => allLines.findIndex((line) => line.includes(text));
    expect(at("first question")).toBeGreaterThan(-1);
    expect(at("first answer")).toBeGreaterThan(at("first question"));
    expect(at("second question")).toBeGreaterThan(at("first answer"));
    expect(at("second answer")).toBeGreaterThan(at("second question"));
    expect(at("modelctl")).toBeGreaterThan(at("second answer"));
    for (const text of ["first question", "first answer", "second question", "second answer"]) {
      expect(count(chat, text)).toBe(1);
    }
    // Tabs, field with its border, status, hints.
    expect(liveRows(chat)).toBe(6);
  });

  test("are not printed again when they change", async () => {
    const chat = await openInline();
    await ask(chat, "hard one");
    chat.backend.current.event({ type: "thinking", text: "Let me see." }).text("Two.").done();
    await chat.screen.until("62.0 tok/s");
    await chat.screen.typeUntil(keys.tab, "Enter expand");
    await chat.screen.typeUntil("t", "▎ Let me see.");
    await chat.screen.typeUntil(keys.escape, ({ text }) => !text.includes("Let me see."));
    expect(count(chat, "Two.")).toBe(1);
  });

  test("of a cleared chat stay, and the next ones follow", async () => {
    const chat = await openInline();
    await say(chat, "first question", "first answer");
    await chat.screen.typeUntil("/clear\r", "For example");
    await say(chat, "second question", "second answer");
    expect(["first question", "first answer"].map((text) => count(chat, text))).toEqual([1, 1]);
    expect(["second question", "second answer"].map((text) => count(chat, text))).toEqual([1, 1]);
  });

  test("do not hide the next ones after a retry or fork", async () => {
    const folder = temporaryFolder();
    const chat = await openInline({ sessions: new SessionStore(folder) });
    await say(chat, "first question", "first answer");
    await say(chat, "second question", "second answer");
    await chat.screen.typeUntil(keys.tab, "y copy");
    await chat.screen.typeUntil("kk", "▌first answer");
    await chat.screen.typeUntil("f", "(fork)'; the original");
    await say(chat, "third question", "third answer");
    expect(["first answer", "third question", "third answer"].map((of) => count(chat, of))).toEqual(
      [1, 1, 1],
    );
  });
});

test("a resumed chat is printed once, only the end of a long one", async () => {
  const folder = temporaryFolder();
  const sessions = new SessionStore(folder);
  const messages = Array.from({ length: 100 }, (_, index): SessionMessage => {
    return { role: index % 2 === 0 ? "user" : "assistant", content: `message ${index}.` };
  });
  const begun = sessions.begin({ model: "tiny", firstMessage: "long one", nowMs: 1 });
  await sessions.save({ ...begun, messages, messageCount: 100 }, 0);
  const chat = await openInline({ sessions });
  await say(chat, "first question", "first answer");
  chat.screen.type("/resume long\r");
  await chat.screen.until(({ allLines }) => allLines.some((line) => line.includes("message 99.")));
  expect([count(chat, "message 60."), count(chat, "message 59.")]).toEqual([1, 0]);
  expect(count(chat, "… 60 earlier messages; Ctrl+O shows them")).toBe(1);
  await say(chat, "one more", "There it is.");
  expect(["first answer", "message 99.", "one more"].map((of) => count(chat, of))).toEqual([
    1, 1, 1,
  ]);
});

describe("the answer in progress", () => {
  test("shows its last rows, and is printed whole at the end", async () => {
    const chat = await openInline();
    await ask(chat, "Count");
    const rows = Array.from({ length: 60 }, (_, index) => `row ${index}.`);
    chat.backend.current.text(rows.slice(0, 50).join("\n"));
    await chat.screen.until("row 49.");
    expect(chat.screen.text).not.toContain("row 20.");
    expect(count(chat, "Count")).toBe(1);
    expect(liveRows(chat)).toBeLessThanOrEqual(24);
    chat.backend.current.text(`\n${rows.slice(50).join("\n")}`).done();
    await chat.screen.until("62.0 tok/s");
    expect(rows.map((row) => count(chat, row))).toEqual(rows.map(() => 1));
    expect(liveRows(chat)).toBe(6);
  });

  test("returns its question to the field if it never begins", async () => {
    const chat = await openInline();
    await ask(chat, "Fit this in");
    await chat.screen.until(/^ Fit this in$/m);
    expect(count(chat, "Fit this in")).toBe(1);
    chat.backend.current.fail("Out of memory.");
    await chat.screen.until("> Fit this in");
    expect(count(chat, "Fit this in")).toBe(1);
    expect(count(chat, "✗ Out of memory.")).toBe(1);
  });
});

test("scrolling back takes the rows that it needs and returns them", async () => {
  const chat = await openInline();
  await ask(chat, "Count");
  chat.backend.current
    .text(Array.from({ length: 40 }, (_, row) => `row ${row}.\n`).join(""))
    .done();
  await chat.screen.until("row 39.");
  await chat.screen.until("62.0 tok/s");
  await chat.screen.typeUntil(keys.pageUp, /\d+ lines below · End to follow/);
  expect(liveRows(chat)).toBe(24);
  await chat.screen.typeUntil(keys.end, ({ text }) => !text.includes("End to follow"));
  expect(liveRows(chat)).toBe(6);
});
