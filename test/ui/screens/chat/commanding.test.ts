// Tests that every command does what the help says, and that mistyped ones are restored.
// Runs the whole screen in an in-memory terminal with a scripted model.

import { describe, expect, test } from "vitest";
import type { ClientMessage } from "../../../../source/client/chat-events.ts";
import { ask, openChat } from "../../support/open-chat.ts";
import { keys } from "../../support/sized-terminal.ts";

describe("the help", () => {
  test("opens with /?, lists commands and keys, scrolls, and closes with Esc", async () => {
    const { screen } = await openChat();
    screen.type("/?\r");
    await screen.until("/bye, /exit, /quit, Ctrl+D");
    expect(screen.text).toContain("/image PATH QUESTION");
    expect(screen.text).toContain("Esc close");
    expect(screen.text).not.toContain("Ctrl+W, Alt+Backspace");
    for (let page = 0; page < 8; page += 1) screen.type(keys.pageDown);
    await screen.until("Ctrl+W, Alt+Backspace");
    screen.type(keys.escape);
    await screen.until("For example");
    expect(screen.text).not.toContain("Esc close");
  });

  test("can be read during an answer, and Esc closes it before it stops anything", async () => {
    const chat = await openChat();
    await ask(chat, "hello");
    chat.backend.current.text("Hi there");
    await chat.screen.until("Hi there");
    chat.screen.type("/help\r");
    await chat.screen.until("/bye, /exit, /quit, Ctrl+D");
    chat.screen.type(keys.escape);
    await chat.screen.until("Hi there");
    expect(chat.backend.current.signal.aborted).toBe(false);
    chat.screen.type(keys.escape);
    await chat.screen.until("stopped");
  });
});

describe("settings", () => {
  test("are sent with every message and survive /clear", async () => {
    const chat = await openChat();
    chat.screen.type("/set system You are a pirate.\r");
    await chat.screen.until("Set system prompt.");
    chat.screen.type("/set parameter temperature 0.3\r");
    await chat.screen.until("Set parameter 'temperature' to '0.3'.");
    chat.screen.type('/set parameter stop END "two words"\r');
    await chat.screen.until("Set parameter 'stop' to 'END', 'two words'.");
    await ask(chat, "hello");
    chat.backend.current.text("Arr").done();
    await chat.screen.until("context 43/4096");
    chat.screen.type("/clear\r");
    await chat.screen.until("For example");
    await chat.screen.until(
      /New chat\. Kept: temperature 0\.3, stop "END" "two words", the system prompt "You are a pirate/,
    );
    await ask(chat, "again");
    expect(chat.backend.current.messages).toEqual([{ role: "user", content: "again" }]);
    expect(chat.backend.current.settings).toEqual({
      system: "You are a pirate.",
      parameters: { temperature: 0.3, stop: ["END", "two words"] },
    });
  });

  test("for thinking, format and system prompt are sent, and reset", async () => {
    const chat = await openChat();
    for (const [line, sentence] of [
      ["/set think high", "Set 'think' mode."],
      ["/set format json", "Set format to 'json'."],
      ["/system Be brief.", "Set system prompt."],
    ]) {
      chat.screen.type(`${line}\r`);
      await chat.screen.until(sentence ?? "");
    }
    await ask(chat, "hello");
    expect(chat.backend.current.settings).toMatchObject({
      system: "Be brief.",
      think: "high",
      format: "json",
    });
    chat.backend.current.text("ok").done();
    await chat.screen.until("context 43/4096");
    chat.screen.type("/set nothink\r");
    await chat.screen.until("Set 'think off' mode.");
    chat.screen.type("/set noformat\r");
    await chat.screen.until("Disabled format.");
    await ask(chat, "again");
    expect(chat.backend.current.settings).toMatchObject({ think: false });
    expect(chat.backend.current.settings).not.toHaveProperty("format");
  });

  test.each([
    ["/set think very", "Unknown level 'very'. Use low, medium, high, max, or none"],
    ["/set format xml", "The only format is json: /set format json"],
    ["/system", "Use /system TEXT."],
    ["/resume nobody", "Chats are not saved: the setting nohistory is on."],
    ["/save", "Use /save NAME"],
  ])("%j is refused in one sentence, and the input stays", async (line, sentence) => {
    const { screen } = await openChat();
    screen.type(`${line}\r`);
    await screen.until(sentence);
    await screen.until(`> ${line}`);
  });

  test("are listed by /show", async () => {
    const { screen } = await openChat({
      settings: { system: "Be brief.", parameters: { top_k: 7 } },
    });
    screen.type("/show\r");
    await screen.until(/^ > \/show\n System: Be brief\.\n Parameters:\n top_k 7/m);
  });

  test("with a wrong value are refused in one sentence, and the input stays", async () => {
    const { screen } = await openChat();
    screen.type("/set parameter temperature hot\r");
    await screen.until("temperature must be a number of at least 0, not 'hot'");
    expect(screen.text).toContain("> /set parameter temperature hot");
    screen.type(keys.backspace);
    await screen.until("> /set parameter temperature ho ");
    expect(screen.text).not.toContain("must be a number");
  });
});

describe("the settings form", () => {
  test("shows values and their origin, and sets, checks and resets a value", async () => {
    const chat = await openChat({ rows: 40 });
    const { screen } = chat;
    screen.type("/set\r");
    await screen.until(/> system prompt +system of tiny +the model +comes before/);
    expect(screen.text).toMatch(/ temperature +0\.8 +default +randomness/);
    screen.type(`temp${keys.enter}`);
    await screen.until(/temperature: randomness.* \(a number of at least 0; empty/);
    screen.type(`hot${keys.enter}`);
    await screen.until("temperature must be a number of at least 0, not 'hot'");
    screen.type(`\x150.3${keys.enter}`);
    await screen.until(/> temperature +0\.3 +this chat/);
    screen.type(`\x15kv_cache${keys.enter}`);
    await screen.until(/> f16/);
    screen.type(`q8${keys.enter}`);
    await screen.until(/> kv_cache_type +q8_0 +this chat/);
    screen.type(`\x15system${keys.enter}`);
    // It starts with the model's own text.
    await screen.until(/System prompt \(empty: the model's own\)[^>]*> system of tiny/);
    screen.type(`\x15Be brief.${keys.enter}`);
    await screen.until(/> system prompt +Be brief\. +this chat/);
    screen.type(`\x15temp${keys.enter}`);
    await screen.until("> 0.3");
    screen.type(`\x7f${keys.enter}`);
    await screen.until(/> temperature +0\.8 +default/);
    screen.type(keys.escape);
    await screen.until(/^ > \/set\n System: Be brief\.\n Parameters:\n kv_cache_type q8_0/m);
    await ask(chat, "hello");
    expect(chat.backend.current.settings).toEqual({
      system: "Be brief.",
      parameters: { kv_cache_type: "q8_0" },
    });
  });

  test("opens during an answer, and applies to the next one", async () => {
    const chat = await openChat({ rows: 40 });
    const { screen } = chat;
    await ask(chat, "hello");
    chat.backend.current.text("Hi");
    screen.type("\x1bp");
    await screen.until("Chat settings");
    screen.type(`seed${keys.enter}`);
    await screen.until("seed: same seed, same answer");
    screen.type(`7${keys.enter}`);
    await screen.until(/> seed +7 +this chat/);
    screen.type(keys.escape);
    await screen.until(/^ Parameters:\n seed 7/m);
    expect(chat.backend.current.settings.parameters).toEqual({});
    chat.backend.current.text(" there").done();
    await screen.until("Hi there");
    await screen.until("Enter send");
    await ask(chat, "again");
    expect(chat.backend.current.settings.parameters).toEqual({ seed: 7 });
  });

  test("keeps names and values in a small window", async () => {
    const { screen } = await openChat({ columns: 60, rows: 16 });
    screen.type("/set\r");
    await screen.until(/> system prompt +system of tiny +the model/);
    // Notes have no column: the selected one is below.
    await screen.until(/│ comes before the conversation +│╯?\n ╰/);
    screen.type(keys.down);
    await screen.until(/│ think before answering +│╯?\n ╰/);
  });
});

describe("a slash line", () => {
  test("with an unknown command is not sent and stays in the field", async () => {
    const { screen, backend } = await openChat();
    screen.type("/wrong word\r");
    await screen.until("! Unknown command '/wrong'. Type /? for help");
    expect(screen.text).toContain("> /wrong word");
    expect(backend.answers).toHaveLength(0);
    screen.type(`${keys.left}x`);
    await screen.until("> /wrong worxd");
    screen.type(keys.enter);
    await screen.until("Unknown command");
    // The suggestion is selected: typing replaces it.
    screen.type("hello");
    await screen.until("> hello ");
  });

  test("is sent as a message when the slash is doubled", async () => {
    const chat = await openChat();
    await ask(chat, "//etc/hosts what is it?");
    expect(chat.backend.current.messages).toEqual([
      { role: "user", content: "/etc/hosts what is it?" },
    ]);
  });
});

test("a block in triple quotes continues until it is closed", async () => {
  const { screen, backend } = await openChat();
  screen.type('"""one\r');
  screen.type('two"""');
  await screen.until('two"""');
  expect(backend.answers).toHaveLength(0);
  screen.type(keys.enter);
  await screen.until(() => backend.answers.length === 1);
  expect(backend.current.messages).toEqual([{ role: "user", content: "one\ntwo" }]);
});

test("the model's stored messages are shown but not sent again", async () => {
  const chat = await openChat({
    messages: [
      { role: "user", content: "Knock knock" },
      { role: "assistant", content: "Who is there?" },
    ],
  });
  await chat.screen.until("Who is there?");
  await ask(chat, "Me");
  expect(chat.backend.current.messages).toEqual([{ role: "user", content: "Me" }]);
});

test("a screen reader gets labels and no decoration", async () => {
  const chat = await openChat({ isScreenReader: true });
  await ask(chat, "hello");
  chat.backend.current.text("Hi there").done();
  await chat.screen.until("Assistant: Hi there");
  expect(chat.screen.text).toContain("You: hello");
  expect(chat.screen.isAlternate).toBe(false);
  expect(chat.screen.text).not.toMatch(/[╭│─]/);
  await ask(chat, "more");
  chat.backend.current.fail("It broke.");
  await chat.screen.until("Error: It broke.");
  await chat.screen.until("Message: more");
});

test("the model's stored messages are inserted above what was said meanwhile", async () => {
  const stored = Promise.withResolvers<readonly ClientMessage[]>();
  const chat = await openChat({ messages: stored.promise });
  await ask(chat, "Tell me a story");
  chat.backend.current.text("Once upon a time.").done();
  await chat.screen.until("Once upon a time.");
  stored.resolve([
    { role: "user", content: "stored question" },
    { role: "assistant", content: "stored answer" },
  ]);
  await chat.screen.until(/stored question[\s\S]*stored answer[\s\S]*Tell me a story[\s\S]*Once/);
  await ask(chat, "And then?");
  // The model sees its own messages anyway.
  expect(chat.backend.current.messages.map(({ content }) => content)).toEqual([
    "Tell me a story",
    "Once upon a time.",
    "And then?",
  ]);
});
