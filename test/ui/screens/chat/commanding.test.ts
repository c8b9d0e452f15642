// Tests that every command does what the help says, and that mistyped ones are restored.
// Runs the whole screen in an in-memory terminal with a scripted model.

import { describe, expect, test } from "vitest";
import type { ClientMessage } from "../../../../source/client/chat-events.ts";
import { ask, openChat, say } from "../../support/open-chat.ts";
import { keys } from "../../support/sized-terminal.ts";

describe("the help", () => {
  test("opens with /?, lists commands and keys, scrolls, and closes with Esc", async () => {
    const { screen } = await openChat();
    await screen.typeUntil("/?\r", "/bye, /exit, /quit, Ctrl+D");
    expect(screen.text).toContain("/image PATH QUESTION");
    expect(screen.text).toContain("Esc close");
    expect(screen.text).not.toContain("Ctrl+W, Alt+Backspace");
    for (let page = 0; page < 9; page += 1) screen.type(keys.pageDown);
    await screen.until("Ctrl+W, Alt+Backspace");
    await screen.typeUntil(keys.escape, "For example");
    expect(screen.text).not.toContain("Esc close");
  });

  test("can be read during an answer, and Esc closes it before it stops anything", async () => {
    const chat = await openChat();
    await ask(chat, "hello");
    chat.backend.current.text("Hi there");
    await chat.screen.until("Hi there");
    await chat.screen.typeUntil("/help\r", "/bye, /exit, /quit, Ctrl+D");
    await chat.screen.typeUntil(keys.escape, "Hi there");
    expect(chat.backend.current.signal.aborted).toBe(false);
    await chat.screen.typeUntil(keys.escape, "stopped");
  });
});

test("another model starts without the figures of the last one", async () => {
  const chat = await openChat();
  await say(chat, "hello", "Hi");
  await chat.screen.until(/62\.0 tok\/s · TTFT .* context 43\/4096/);
  await chat.screen.typeUntil("/model large\r", "Switched to large.");
  await chat.screen.typeUntil("x", "ready · context window 4096");
});

describe("settings", () => {
  test("are sent with every message and survive /clear", async () => {
    const chat = await openChat();
    await chat.screen.typeUntil("/set system You are a pirate.\r", "Set system prompt.");
    chat.screen.type("/set parameter temperature 0.3\r");
    await chat.screen.until("Set parameter 'temperature' to '0.3'.");
    chat.screen.type('/set parameter stop END "two words"\r');
    await chat.screen.until("Set parameter 'stop' to 'END', 'two words'.");
    await ask(chat, "hello");
    chat.backend.current.text("Arr").done();
    await chat.screen.until("context 43/4096");
    await chat.screen.typeUntil("/clear\r", "For example");
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
      await chat.screen.typeUntil(`${line}\r`, sentence ?? "");
    }
    await ask(chat, "hello");
    expect(chat.backend.current.settings).toMatchObject({
      system: "Be brief.",
      think: "high",
      format: "json",
    });
    chat.backend.current.text("ok").done();
    await chat.screen.until("context 43/4096");
    await chat.screen.typeUntil("/set nothink\r", "Set 'think off' mode.");
    await chat.screen.typeUntil("/set noformat\r", "Disabled format.");
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
    await screen.typeUntil(`${line}\r`, sentence);
    await screen.until(`> ${line}`);
  });

  test("are listed by /show", async () => {
    const { screen } = await openChat({
      settings: { system: "Be brief.", parameters: { top_k: 7 } },
    });
    await screen.typeUntil("/show\r", /^ > \/show\n System: Be brief\.\n Parameters:\n top_k 7/m);
  });

  test("that do not exist are refused, and open no form", async () => {
    const { screen } = await openChat();
    await screen.typeUntil("/set nonsense 0.3\r", "! Unknown setting. Use /set system TEXT");
    expect(screen.text).toContain("> /set nonsense 0.3");
  });

  test("that are parameters need no /set parameter, and are completed", async () => {
    const { screen } = await openChat();
    await screen.typeUntil("/set temperat", "randomness; 0 picks the likeliest token");
    await screen.typeUntil(keys.tab, /│ > \/set temperature /);
    await screen.typeUntil("0\r", "Set parameter 'temperature' to '0'.");
  });

  test("with a wrong value are refused in one sentence, and the input stays", async () => {
    const { screen } = await openChat();
    screen.type("/set parameter temperature hot\r");
    await screen.until("temperature must be a number of at least 0, not 'hot'");
    expect(screen.text).toContain("> /set parameter temperature hot");
    await screen.typeUntil(keys.backspace, "> /set parameter temperature ho ");
    expect(screen.text).not.toContain("must be a number");
  });
});

describe("help and palette", () => {
  test.each(["/?\r", "\u0010"])("opened with %j begin with what people look for", async (keys) => {
    const { screen } = await openChat();
    await screen.typeUntil(keys, "Often used");
    const titles = screen.lines.map((line) => /│ [> ] (\S.*?) {2,}/.exec(line)?.[1]);
    expect(titles.filter((title) => title !== undefined).slice(0, 7)).toEqual([
      "Switch to another model",
      "Start a new chat",
      "Resume a saved chat (searches its text)",
      "Attach an image (or put its path in a message)",
      "Change this chat's settings: system prompt, temperature, seed, …",
      "Help",
      "Quit",
    ]);
  });
});

describe("the settings form", () => {
  test("shows values and their origin, and sets, checks and resets a value", async () => {
    const chat = await openChat({ rows: 40 });
    const { screen } = chat;
    await screen.typeUntil("/set\r", /> system prompt +system of tiny +the model +comes before/);
    expect(screen.text).toMatch(/ temperature +0\.8 +default +randomness/);
    screen.type(`temp${keys.enter}`);
    await screen.until(/temperature: randomness.* \(a number of at least 0; empty/);
    screen.type(`hot${keys.enter}`);
    await screen.until("temperature must be a number of at least 0, not 'hot'");
    await screen.typeUntil(`\x150.3${keys.enter}`, /> temperature +0\.3 +this chat/);
    await screen.typeUntil(`\x15kv_cache${keys.enter}`, /> f16/);
    await screen.typeUntil(`q8${keys.enter}`, /> kv_cache_type +q8_0 +this chat/);
    screen.type(`\x15system${keys.enter}`);
    // It starts with the model's own text.
    await screen.until(/System prompt \(empty: the model's own\)[^>]*> system of tiny/);
    await screen.typeUntil(`\x15Be brief.${keys.enter}`, /> system prompt +Be brief\. +this chat/);
    await screen.typeUntil(`\x15temp${keys.enter}`, "> 0.3");
    await screen.typeUntil(`\x7f${keys.enter}`, /> temperature +0\.8 +default/);
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
    await screen.typeUntil("\x1bp", "Chat settings");
    await screen.typeUntil(`seed${keys.enter}`, "seed: same seed, same answer");
    await screen.typeUntil(`7${keys.enter}`, /> seed +7 +this chat/);
    await screen.typeUntil(keys.escape, /^ Parameters:\n seed 7/m);
    expect(chat.backend.current.settings.parameters).toEqual({});
    chat.backend.current.text(" there").done();
    await screen.until("Hi there");
    await screen.until("Enter send");
    await ask(chat, "again");
    expect(chat.backend.current.settings.parameters).toEqual({ seed: 7 });
  });

  test("keeps names and values in a small window", async () => {
    const { screen } = await openChat({ columns: 60, rows: 16 });
    await screen.typeUntil("/set\r", /> system prompt +system of tiny +the model/);
    // Notes have no column: the selected one is below.
    await screen.until(/│ comes before the conversation +│╯?\n ╰/);
    await screen.typeUntil(keys.down, /│ think before answering +│╯?\n ╰/);
  });
});

describe("a slash line", () => {
  test("with an unknown command is not sent and stays in the field", async () => {
    const { screen, backend } = await openChat();
    await screen.typeUntil("/wrong word\r", "! Unknown command '/wrong'. Type /? for help");
    expect(screen.text).toContain("> /wrong word");
    expect(backend.answers).toHaveLength(0);
    await screen.typeUntil(`${keys.left}x`, "> /wrong worxd");
    await screen.typeUntil(keys.enter, "Unknown command");
    // The suggestion is selected: typing replaces it.
    await screen.typeUntil("hello", "> hello ");
  });

  test("is sent as a message when the slash is doubled", async () => {
    const chat = await openChat();
    await ask(chat, "//etc/hosts what is it?");
    expect(chat.backend.current.messages).toEqual([
      { role: "user", content: "/etc/hosts what is it?" },
    ]);
  });
});

test("Ctrl+C, a line and Ctrl+C within two seconds clear the line, and quit nothing", async () => {
  const chat = await openChat();
  await chat.screen.typeUntil(keys.ctrlC, "Press Ctrl+C again to quit");
  chat.screen.type("What");
  chat.screen.type(keys.ctrlC);
  await chat.screen.until("Press Ctrl+C again to quit");
  await ask(chat, "Still here?");
  expect(chat.backend.current.messages).toEqual([{ role: "user", content: "Still here?" }]);
});

test("a block in triple quotes continues until it is closed", async () => {
  const { screen, backend } = await openChat();
  screen.type('"""one\r');
  await screen.typeUntil('two"""', 'two"""');
  expect(backend.answers).toHaveLength(0);
  await screen.typeUntil(keys.enter, () => backend.answers.length === 1);
  expect(backend.current.messages).toEqual([{ role: "user", content: "one\ntwo" }]);
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
