// Full-screen chat: the built program in a pseudo-terminal, with the real model.
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { tinyFile } from "../support/command-line.ts";
import { openTerminal, type TerminalOptions, type TestTerminal } from "../support/pty.ts";
import { sharedServer } from "../support/shared-server.ts";
import type { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

/** Runs already, for the tests that are not about starting one. */
let server: TestServer;
beforeAll(async () => {
  server = await sharedServer();
});

const ready = "Send a message";
const idle = "Enter send";
const escapeKey = "\u001b";
const controlC = "\u0003";

async function launch(words: string[], options: TerminalOptions = {}): Promise<TestTerminal> {
  const environment = { MODELCTL_HOST: new URL(server.url).host, ...options.environment };
  return await openTerminal(words, { ...options, environment });
}

/** Closed after the test. */
async function open(words: string[], options: TerminalOptions = {}): Promise<TestTerminal> {
  const terminal = await launch(words, options);
  onTestFinished(() => terminal.close());
  return terminal;
}

async function openChat(options: TerminalOptions = {}): Promise<TestTerminal> {
  const chat = await open(["run", "tiny"], options);
  await untilReady(chat);
  return chat;
}

async function untilReady(chat: TestTerminal): Promise<void> {
  await chat.shows(ready);
  await chat.takesKeys();
}

describe("the chat", () => {
  let chat: TestTerminal;
  beforeAll(async () => {
    chat = await launch(["run", "tiny"], { environment: { NO_COLOR: "1" } });
    await untilReady(chat);
  });
  afterAll(async () => await chat.close());

  async function clear(): Promise<void> {
    await chat.send("/clear");
    await chat.shows("For example");
  }

  it("answers, remembers, and shows its speed", async () => {
    expect(chat.buffer()).toBe("alternate");
    await chat.send("My name is Bob.");
    await chat.shows("Nice to meet you, Bob.");
    await chat.shows(idle);
    await chat.send("What is my name?");
    await chat.shows("Your name is Bob.");
    await chat.shows("tok/s");
    await chat.shows(idle);
    expect(chat.text()).toMatch(/TTFT \d/);
    expect(chat.text()).toMatch(/context \d+\/4096/);
  });

  it("sends several lines as one message", async () => {
    await clear();
    chat.type("Repeat after me:");
    chat.type("\n");
    chat.type("hello world");
    await chat.shows("hello world");
    expect(chat.text()).not.toContain("assistant");
    chat.type("\r");
    await chat.shows("assistant");
    await chat.shows(idle);
  });

  it("reports what it cannot do and keeps the conversation", async () => {
    await chat.send("/nonsense");
    await chat.shows("Unknown command '/nonsense'");
    chat.type("\u0015");
    await chat.send("/?");
    await chat.shows("Help: Chat");
    chat.type("system prompt");
    await chat.shows("/set system");
    chat.type(escapeKey);
    await chat.showsNot("Help: Chat");
    expect(chat.text()).toContain("hello world");
  });

  it("follows the window size", async () => {
    await clear();
    await chat.send("Write a poem.");
    await chat.shows("it is spring.");
    for (const [columns, rows] of [
      [60, 16],
      [180, 50],
      [80, 24],
      [40, 10],
      [24, 7],
    ] as const) {
      chat.resize(columns, rows);
      await chat.shows("it is spring.");
      await chat.shows(ready);
    }
    chat.resize(23, 6);
    await chat.shows("small");
    chat.resize(100, 30);
    await chat.shows(ready);
  });

  it("accepts a system prompt and a parameter, and clears the chat on /clear", async () => {
    await chat.send("/set system You are a pirate.");
    await chat.shows("Set system prompt");
    await clear();
    await chat.send("What is the capital of France?");
    await chat.shows("Arr, The capital of France is Paris.");
    await chat.shows(idle);
    await clear();
    await chat.send("/set parameter num_predict 3");
    await chat.shows("Set parameter 'num_predict' to '3'");
    await chat.send("Count from 1 to 10.");
    await chat.shows("assistant");
    await chat.shows(idle);
    expect(chat.text()).not.toContain("1, 2, 3");
  });

  it("uses no colour with NO_COLOR, and restores the terminal when Ctrl+C is pressed twice", async () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control sequences
    expect(chat.raw()).not.toMatch(/\u001b\[([\d;]*;)?(3|4|9|10)\d(;[\d;]*)?m/);
    chat.type(controlC);
    await chat.shows("again");
    chat.type(controlC);
    expect(await chat.exited).toBe(130);
    expectRestored(chat);
  });
});

it("stops on Esc, keeps the partial answer and the queue, and continues", async () => {
  // A long answer: a list.
  const list = { type: "array", items: { type: "integer" }, minItems: 10_000 };
  const chat = await open(["run", "tiny", "--format", JSON.stringify(list)]);
  await untilReady(chat);
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

it("saves the prompt history, readable only by this user, and restores the terminal on /bye and Ctrl+D", async () => {
  const home = mkdtempSync(path.join(tmpdir(), "modelctl-history-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const first = await openChat({ home });
  await first.send("What is 2 + 3?");
  await first.shows("2 + 3 = 5");
  await first.shows(idle);
  await first.send("/bye");
  expect(await first.exited).toBe(0);
  expectRestored(first);
  const history = path.join(home, ".local", "state", "modelctl", "history");
  expect(readFileSync(history, "utf8")).toContain("What is 2 + 3?");
  expect(statSync(history).mode & 0o077).toBe(0);
  const second = await openChat({ home });
  second.type("\u001b[A");
  await second.shows("> /bye");
  second.type("\u001b[A");
  await second.shows("> What is 2 + 3?");
  second.type("\u0015");
  await second.shows(ready);
  second.type("\u0004");
  expect(await second.exited).toBe(0);
  expectRestored(second);
});

function expectRestored(chat: TestTerminal): void {
  expect(chat.buffer()).toBe("normal");
  expect(chat.raw()).toContain("\u001b[?25h");
}

it("switches to a model file dropped into it, and opens with it the next time", async () => {
  const home = mkdtempSync(path.join(tmpdir(), "modelctl-pty-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const file = path.join(home, "my model.gguf");
  copyFileSync(tinyFile, file);
  // Each with a server of its own, which may read any file of its user.
  const first = await openTerminal([], { home });
  try {
    await untilReady(first);
    expect(first.lines()[0]).toContain("tiny");
    first.type(`/model '${file}'\r`);
    await first.shows("Switched to ");
    await first.send("/model tiny");
    await first.shows("Switched to tiny");
    first.type(`'${file}' \r`);
    await until(
      () => first.text().split("Switched to /").length - 1,
      (count) => count === 2,
    );
    await first.send("What is 2 + 3?");
    await first.shows("2 + 3 = 5");
    await first.send("/bye");
    expect(await first.exited).toBe(0);
  } finally {
    await first.close();
  }
  const second = await openTerminal([], { home });
  try {
    await untilReady(second);
    await second.shows("my model.gguf");
    await second.send("/bye");
    await second.exited;
  } finally {
    await second.close();
  }
});

describe("without a screen", () => {
  it("the line chat runs on a dumb terminal, where Ctrl+C drops a message of several lines", async () => {
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
    expect(chat.raw()).not.toContain("\u001b[?1049h");
  });

  it("an unknown model is reported before the screen opens", async () => {
    const chat = await open(["run", "nope"]);
    expect(await chat.exited).toBe(3);
    expect(chat.text()).toContain("model 'nope' not found");
    expect(chat.raw()).not.toContain("\u001b[?1049h");
  });
});
