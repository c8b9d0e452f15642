// Tests that a signal restores the terminal, and that NO_COLOR is honoured.
// Runs a chat in a real process behind a pseudo terminal.

import path from "node:path";
import pty from "@lydell/node-pty";
import { expect, onTestFinished, test } from "vitest";
import { bundleProgram } from "../support/bundle-program.ts";

const program = await bundleProgram(path.join(import.meta.dirname, "fixtures/chat-process.mts"));
/** The screen turns on bracketed paste last, before it takes keys. */
const takesKeys = "\x1b[?2004h";

interface RunningChat {
  readonly process: pty.IPty;
  readonly bytes: () => string;
  readonly ended: Promise<number>;
  /** Resolves when the process has written a text; fails if it ends first. */
  until(text: string): Promise<void>;
}

function startChat(environment: Record<string, string>): RunningChat {
  const child = pty.spawn(process.execPath, [program], {
    name: "xterm-256color",
    cols: 80,
    rows: 24,
    // With an empty CI variable, Ink would draw nothing by default.
    env: { PATH: process.env.PATH ?? "", TERM: "xterm-256color", CI: "", ...environment },
  });
  let bytes = "";
  const waiting: { text: string; resolve: () => void }[] = [];
  child.onData((data) => {
    bytes += data;
    for (const { text, resolve } of waiting) if (bytes.includes(text)) resolve();
  });
  const ended = new Promise<number>((resolve) => child.onExit(({ exitCode }) => resolve(exitCode)));
  onTestFinished(() => {
    // A process that has ended already cannot be killed again.
    try {
      child.kill("SIGKILL");
    } catch {}
  });
  return {
    process: child,
    bytes: () => bytes,
    ended,
    until: (text) =>
      new Promise((resolve, reject) => {
        if (bytes.includes(text)) resolve();
        else waiting.push({ text, resolve });
        ended.then(() => reject(new Error(`"${text}" never came, but:\n${bytes}`)));
      }),
  };
}

test.each(["SIGTERM", "SIGHUP", "SIGINT"] as const)(
  "%s in the middle of an answer restores the terminal and saves the conversation",
  { timeout: 30_000 },
  async (signal) => {
    const chat = startChat({ FORCE_COLOR: "1" });
    await chat.until(takesKeys);
    chat.process.write("hello\r");
    await chat.until("partial answer");
    chat.process.kill(signal);
    expect(await chat.ended).toBe(0);
    expect(chat.bytes()).toContain(
      JSON.stringify({
        reason: "interrupted",
        signal,
        transcript: [
          { role: "user", content: "hello" },
          { role: "assistant", content: "partial answer" },
        ],
      }),
    );
    const after = chat.bytes().slice(chat.bytes().lastIndexOf("\x1b[?1049l"));
    expect(after).toContain("\x1b[?25h");
    expect(after).toContain("RESULT");
    expect(chat.bytes().lastIndexOf("\x1b[?2004l")).toBeGreaterThan(
      chat.bytes().lastIndexOf("\x1b[?2004h"),
    );
  },
);

test("an uncaught error restores the terminal and is printed there", {
  timeout: 30_000,
}, async () => {
  const chat = startChat({ FORCE_COLOR: "1", CRASHES: "1" });
  await chat.until(takesKeys);
  chat.process.write("hello\r");
  expect(await chat.ended).toBe(1);
  const after = chat.bytes().slice(chat.bytes().lastIndexOf("\x1b[?1049l"));
  expect(after).toContain("\x1b[?25h");
  expect(after).toContain("a defect in the program");
  expect(chat.bytes().lastIndexOf("\x1b[?2004l")).toBeGreaterThan(
    chat.bytes().lastIndexOf("\x1b[?2004h"),
  );
});

test("the screen is complete in words without colours", {
  timeout: 30_000,
}, async () => {
  const chat = startChat({ FORCE_COLOR: "0" });
  await chat.until(takesKeys);
  chat.process.write("hello\r");
  await chat.until("partial answer");
  chat.process.write("\x1b");
  await chat.until("stopped");
  chat.process.write("\x04");
  expect(await chat.ended).toBe(0);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are the subject here
  expect(chat.bytes()).not.toMatch(/\x1b\[[0-9;]*m/);
});
