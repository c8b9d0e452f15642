// Full-screen chat: the built program in a pseudo-terminal, with the real model.
import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openTerminal, type TerminalOptions, type TestTerminal } from "../support/pty.ts";
import { TestServer } from "../support/test-server.ts";

/** Runs already, for the tests that are not about starting one. */
let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(async () => await server.close());

let terminal: TestTerminal | undefined;
afterEach(async () => {
  await terminal?.close();
  terminal = undefined;
});

const ready = "Send a message";
const idle = "Enter send";
const escapeKey = "\u001b";
const controlC = "\u0003";

async function open(words: string[], options: TerminalOptions = {}): Promise<TestTerminal> {
  terminal = await openTerminal(words, {
    ...options,
    environment: { MODELCTL_HOST: new URL(server.url).host, ...options.environment },
  });
  return terminal;
}

async function openChat(options: TerminalOptions = {}): Promise<TestTerminal> {
  const chat = await open(["run", "tiny"], options);
  await chat.shows(ready);
  await chat.takesKeys();
  return chat;
}

describe("the chat", () => {
  it("answers, remembers, and shows its speed", async () => {
    const chat = await openChat();
    expect(chat.buffer()).toBe("alternate");
    await chat.send("My name is Bob.");
    await chat.shows("Nice to meet you, Bob.");
    await chat.shows(idle);
    await chat.send("What is my name?");
    await chat.shows("Your name is Bob.");
    await chat.shows("tok/s");
    expect(chat.text()).toMatch(/TTFT \d/);
    expect(chat.text()).toMatch(/context \d+\/4096/);
  });

  it("opens on the built-in model without a command, with a server of its own", async () => {
    const chat = await openTerminal([]);
    terminal = chat;
    await chat.shows(ready);
    await chat.takesKeys();
    expect(chat.text()).toContain("tiny");
    await chat.send("What is 2 + 3?");
    await chat.shows("2 + 3 = 5");
  });

  it("accepts a system prompt and a parameter, and clears the chat on /clear", async () => {
    const chat = await openChat();
    await chat.send("/set system You are a pirate.");
    await chat.shows("Set system prompt");
    await chat.send("What is the capital of France?");
    await chat.shows("Arr, The capital of France is Paris.");
    await chat.shows(idle);
    await chat.send("/clear");
    await chat.showsNot("Arr,");
    await chat.send("/set parameter num_predict 3");
    await chat.shows("Set parameter 'num_predict' to '3'");
    await chat.send("Count from 1 to 10.");
    await chat.shows("assistant");
    await chat.shows(idle);
    expect(chat.text()).not.toContain("1, 2, 3");
  });

  it("stops on Esc, keeps the partial answer and the queue, and continues", async () => {
    // A long answer: a list.
    const list = { type: "array", items: { type: "integer" }, minItems: 10_000 };
    const chat = await open(["run", "tiny", "--format", JSON.stringify(list)]);
    await chat.shows(ready);
    await chat.takesKeys();
    await chat.send("Count.");
    await chat.shows("tok/s · TTFT");
    await chat.send("What is 2 + 3?");
    await chat.shows("1 queued: Up edits the last");
    chat.type(escapeKey);
    await chat.shows("stopped");
    await chat.shows("1 held: Enter sends the next, Up edits the last");
    await chat.send("/set noformat");
    await chat.shows("Disabled format.");
    expect(chat.text()).toMatch(/ \[-?\d/);
    chat.type("\r");
    // After this many numbers the model's output is unpredictable.
    await chat.showsNot("1 held");
    await chat.shows(" What is 2 + 3?");
    await chat.shows(idle);
  });

  it("sends several lines as one message", async () => {
    const chat = await openChat();
    chat.type("Repeat after me:");
    chat.type("\n");
    chat.type("hello world");
    await chat.shows("hello world");
    expect(chat.text()).not.toContain("assistant");
    chat.type("\r");
    await chat.shows("assistant");
  });

  it("reports what it cannot do and keeps the conversation", async () => {
    const chat = await openChat();
    await chat.send("/nonsense");
    await chat.shows("Unknown command '/nonsense'");
    chat.type(controlC);
    await chat.send("/?");
    await chat.shows("Help: Chat");
    chat.type("system prompt");
    await chat.shows("/set system");
    chat.type(escapeKey);
    await chat.shows(ready);
  });

  it("follows the window size", async () => {
    const chat = await openChat();
    await chat.send("Write a poem.");
    await chat.shows("it is spring.");
    for (const [columns, rows] of [
      [60, 16],
      [180, 50],
      [80, 24],
    ] as const) {
      chat.resize(columns, rows);
      await chat.shows("it is spring.");
      await chat.shows(ready);
    }
    chat.resize(40, 10);
    await chat.shows("small");
    chat.resize(100, 30);
    await chat.shows(ready);
  });
});

describe("leaving", () => {
  it.each([
    ["/bye", async (chat: TestTerminal) => await chat.send("/bye"), 0],
    ["Ctrl+D", async (chat: TestTerminal) => chat.type("\u0004"), 0],
    [
      "Ctrl+C twice",
      async (chat: TestTerminal) => {
        chat.type(controlC);
        await chat.shows("again");
        chat.type(controlC);
      },
      130,
    ],
  ])("with %s restores the terminal", async (_, leave, code) => {
    const chat = await openChat();
    await leave(chat);
    expect(await chat.exited).toBe(code);
    expect(chat.buffer()).toBe("normal");
    expect(chat.raw()).toContain("\u001b[?25h");
  });

  it("saves the prompt history, readable only by this user", async () => {
    const first = await openChat();
    const { home } = first;
    await first.send("What is 2 + 3?");
    await first.shows("2 + 3 = 5");
    await first.shows(idle);
    await first.send("/bye");
    await first.exited;
    const state = path.join(home, ".local", "state", "modelctl");
    expect(readFileSync(path.join(state, "history"), "utf8")).toContain("What is 2 + 3?");
    const second = await openChat({ home });
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    second.type("\u001b[A");
    await second.shows("> /bye");
    second.type("\u001b[A");
    await second.shows("> What is 2 + 3?");
  });
});

describe("without a screen", () => {
  it("the line chat runs on a dumb terminal", async () => {
    const chat = await open(["run", "tiny"], { environment: { TERM: "dumb" } });
    await chat.shows(">>>");
    chat.type("What is 2 + 3?\r");
    await chat.shows("2 + 3 = 5");
    chat.type("/bye\r");
    expect(await chat.exited).toBe(0);
    expect(chat.raw()).not.toContain("\u001b[?1049h");
  });

  it("Ctrl+C drops a message of several lines", async () => {
    const chat = await open(["run", "tiny"], { environment: { TERM: "dumb" } });
    await chat.shows(">>>");
    chat.type('"""Repeat after me:\r');
    await chat.shows("...");
    chat.type(controlC);
    await chat.shows("again to quit");
    chat.type("What is 2 + 3?\r");
    await chat.shows("2 + 3 = 5");
    chat.type("/bye\r");
    expect(await chat.exited).toBe(0);
  });

  it("an unknown model is reported before the screen opens", async () => {
    const chat = await open(["run", "nope"]);
    expect(await chat.exited).toBe(3);
    expect(chat.text()).toContain("model 'nope' not found");
    expect(chat.raw()).not.toContain("\u001b[?1049h");
  });
});

describe("colour", () => {
  it("is off with NO_COLOR", async () => {
    const chat = await openChat({ environment: { NO_COLOR: "1" } });
    await chat.send("What is 2 + 3?");
    await chat.shows("2 + 3 = 5");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control sequences
    expect(chat.raw()).not.toMatch(/\u001b\[([\d;]*;)?(3|4|9|10)\d(;[\d;]*)?m/);
  });
});
