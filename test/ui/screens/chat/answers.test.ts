// Tests conversations: answers, stops and failures lose no text.
// Runs the whole screen in an in-memory terminal with a scripted model.

import { describe, expect, test } from "vitest";
import { ask, openChat } from "../../support/open-chat.ts";
import { keys } from "../../support/sized-terminal.ts";

describe("an answer", () => {
  test("appears while it is written, with its figures below at the end", async () => {
    const chat = await openChat();
    await ask(chat, "Tell me a story");
    chat.backend.current.text("Once upon ");
    await chat.screen.until("Once upon");
    chat.backend.current.text("a ");
    await chat.screen.until(/◐ \d+\.\d tok\/s · TTFT \d+ ms/);
    chat.backend.current.text("time.").done();
    await chat.screen.until("Once upon a time.");
    await chat.screen.until(/62\.0 tok\/s · TTFT .* · 12\+31 tokens · context 43\/4096/);
    expect(chat.screen.text).toMatch(/you {20,}\d\d:\d\d\n Tell me a story/);
    expect(chat.screen.text).toMatch(/assistant {20,}62 tok\/s · \d+ ms\n Once/);
  });

  test("shows what it waits for: checking, queue, loading, reading the prompt", async () => {
    const chat = await openChat();
    await ask(chat, "hello");
    chat.backend.current.event({ type: "checking", file: "my.gguf", fraction: 0.25 });
    await chat.screen.until("checking my.gguf 25 % · Esc cancels");
    chat.backend.current.event({ type: "queued", ahead: 2 });
    await chat.screen.until("waiting, 2 ahead");
    chat.backend.current.event({ type: "loading", fraction: 0.62 });
    await chat.screen.until("loading tiny 62 % · Esc cancels");
    chat.backend.current.event({ type: "prompt", completedTokens: 1168, totalTokens: 2014 });
    await chat.screen.until("reading 2 014 tokens 58 %");
    chat.backend.current.text("Hi").done();
    await chat.screen.until("Hi");
    expect(chat.screen.text).not.toContain("Esc cancels");
  });

  test("shows warnings until a key is pressed, and its progress beside them", async () => {
    const chat = await openChat();
    await ask(chat, "hello");
    const sentence = "Unloaded large: tiny needs the room, and it was used least recently.";
    const limit = "num_ctx 9999 is too large.";
    chat.backend.current.event({ type: "warning", kind: "window", sentence: limit });
    chat.backend.current.event({ type: "warning", kind: "evicted", sentence });
    chat.backend.current.event({ type: "loading", fraction: 0.62 });
    await chat.screen.until(`! ${limit} ${sentence.split(", ")[0]}`);
    await chat.screen.until("loading tiny 62 % · Esc cancels");
    chat.backend.current.text("Hi").done();
    await chat.screen.until("62 tok/s");
    expect(chat.screen.text).toContain(limit);
    await chat.screen.typeUntil("x", "62.0 tok/s · TTFT");
    expect(chat.screen.text).not.toContain(limit);
  });

  test("stopped by Esc is kept, marked, and sent with the next message", async () => {
    const chat = await openChat();
    await ask(chat, "Count");
    chat.backend.current.text("one two");
    await chat.screen.until("one two");
    const { signal } = chat.backend.current;
    await chat.screen.typeUntil(keys.escape, "⊘ stopped");
    expect(signal.aborted).toBe(true);
    await ask(chat, "Go on");
    expect(chat.backend.current.messages).toEqual([
      { role: "user", content: "Count" },
      { role: "assistant", content: "one two" },
      { role: "user", content: "Go on" },
    ]);
  });

  test("comes now instead of more thinking on Alt+A", async () => {
    const chat = await openChat();
    await ask(chat, "Why?");
    chat.backend.current.event({ type: "thinking", text: "Let me see." });
    await chat.screen.until("Alt+A answer now");
    expect(chat.backend.current.answerNow?.aborted).toBe(false);
    chat.screen.type("\u001ba");
    await expect.poll(() => chat.backend.current.answerNow?.aborted).toBe(true);
    expect(chat.backend.current.signal.aborted).toBe(false);
    chat.backend.current.text("Because.").done();
    await chat.screen.until("Because.");
    expect(chat.screen.text).not.toContain("answer now");
  });

  test("says that it ended at the token limit", async () => {
    const chat = await openChat();
    await ask(chat, "Write a book");
    chat.backend.current.text("Chapter one").done("length");
    await chat.screen.until("length limit reached");
  });

  test("without any text is shown as empty", async () => {
    const chat = await openChat();
    await ask(chat, "Say nothing");
    chat.backend.current.done();
    await chat.screen.until("(empty answer)");
  });
});

describe("a failure", () => {
  test("before the answer restores the prompt and leaves no unanswered question", async () => {
    const chat = await openChat();
    await ask(chat, "Fit this in");
    chat.backend.current.fail("Out of memory: needs 6.3 GB, 4.1 GB are free.");
    await chat.screen.until("✗ Out of memory: needs 6.3 GB, 4.1 GB are free.");
    await chat.screen.until("> Fit this in");
    expect(chat.screen.text).not.toMatch(/^ you/m);
    await chat.screen.typeUntil(" please\r", () => chat.backend.answers.length === 2);
    expect(chat.backend.current.messages).toEqual([
      { role: "user", content: "Fit this in please" },
    ]);
  });

  test("does not overwrite what was typed meanwhile", async () => {
    const chat = await openChat();
    await ask(chat, "first");
    await chat.screen.typeUntil("second", "> second");
    chat.backend.current.fail("The server went away.");
    await chat.screen.until(/> first *│\n│ {3}second/);
  });

  test("in the middle of an answer keeps the partial answer", async () => {
    const chat = await openChat();
    await ask(chat, "Count");
    chat.backend.current.text("one two").fail("The server went away.");
    await chat.screen.until("✗ The server went away.");
    expect(chat.screen.text).toMatch(/one two\n ✗ failed/);
    expect(chat.screen.text).toContain("> Send a message");
    await ask(chat, "Again");
    expect(chat.backend.current.messages.map(({ content }) => content)).toEqual([
      "Count",
      "one two",
      "Again",
    ]);
  });

  test("of a stream that just ends is not shown as a complete answer", async () => {
    const chat = await openChat();
    await ask(chat, "Count");
    chat.backend.current.text("one").breakOff();
    await chat.screen.until("✗ The answer ended unexpectedly.");
  });
});

describe("while an answer runs", () => {
  test("Esc before the first word restores the prompt", async () => {
    const chat = await openChat();
    await ask(chat, "slow one");
    chat.backend.current.event({ type: "loading", fraction: 0.1 });
    await chat.screen.until("loading tiny 10 %");
    await chat.screen.typeUntil(keys.escape, "> slow one");
    expect(chat.backend.current.signal.aborted).toBe(true);
    expect(chat.screen.text).not.toContain("assistant");
  });
});
