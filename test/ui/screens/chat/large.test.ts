// Tests that size does not slow down the chat: ten thousand messages, a pasted megabyte, wide characters.
// Runs the whole screen in an in-memory terminal, and counts the entries that are laid out.
import { describe, expect, test } from "vitest";
import type { SessionMessage } from "../../../../source/chat/sessions/session.ts";
import { SessionStore } from "../../../../source/chat/sessions/session-store.ts";
import { temporaryFolder } from "../../../support/model-store.ts";
import { ask, openChat } from "../../support/open-chat.ts";
import { keys } from "../../support/sized-terminal.ts";

describe("ten thousand messages", () => {
  test("open at the end, scroll to the beginning, and accept more", async () => {
    const sessions = new SessionStore(temporaryFolder());
    const messages = Array.from({ length: 10_000 }, (_, index): SessionMessage => {
      const role = index % 2 === 0 ? "user" : "assistant";
      return { role, content: `message ${index}\n\n- with **some** \`text\`\n- in it` };
    });
    const begun = sessions.begin({ model: "tiny", firstMessage: "long", nowMs: 1 });
    await sessions.save({ ...begun, messages, messageCount: messages.length }, 0);
    const chat = await openChat({ sessions, session: { id: begun.id } });
    await chat.screen.until("message 9999");
    await chat.screen.typeUntil(keys.home, /message 0\n/);
    expect(chat.screen.text).toMatch(/about \d{5} lines below/);
    await chat.screen.typeUntil(keys.pageDown, /message [2-5]\n/);
    chat.screen.resize(70, 24);
    await chat.screen.until(/message [0-9]\n/);
    await chat.screen.typeUntil(keys.end, "message 9999");
    await ask(chat, "one more");
    expect(chat.backend.current.messages).toHaveLength(10_001);
    chat.backend.current.text("There it is.").done();
    await chat.screen.until("There it is.");
  });
});

describe("a pasted megabyte", () => {
  const lines = Array.from(
    { length: 20_000 },
    (_, index) => `line ${index} of a long log file, 漢字`,
  );
  test.each([
    ["of many lines", lines.join("\n")],
    ["of one line", "word ".repeat(210_000).trim()],
  ])("%s is pasted, edited, and sent whole", async (_, text) => {
    const chat = await openChat();
    await chat.screen.typeUntil(keys.paste(text), text.slice(-12).trim());
    await chat.screen.typeUntil("END", "END");
    chat.screen.type(keys.up + keys.left + keys.backspace);
    await chat.screen.typeUntil(keys.down + keys.enter, () => chat.backend.answers.length === 1);
    const sent = chat.backend.current.messages[0]?.content ?? "";
    // One character was deleted, three were typed.
    expect(sent).toHaveLength(text.length + 2);
    expect(sent.endsWith("END")).toBe(true);
    await chat.screen.until(`${sent.length} characters in all`);
    chat.backend.current.text("Too long.").done();
    await chat.screen.until("Too long.");
  });
});

test("characters of any width are wrapped, stepped over, and kept whole", async () => {
  const chat = await openChat({ columns: 60, rows: 20 });
  const text = `漢字${"かな".repeat(30)} e\u0301a\u0308 👩‍👩‍👧 🇩🇪 ไทย عربى`;
  await ask(chat, text);
  expect(chat.backend.current.messages[0]?.content).toBe(text);
  chat.backend.current.text(`| 名 | x |\n| -- | -- |\n| 漢字 | 👍🏽 |\n\n${text}`).done();
  await chat.screen.until("漢字 │");
  for (const line of chat.screen.lines) expect(line.length).toBeLessThanOrEqual(60);
});
