// Tests that screen readers get each line once, and changed lines again.

import { expect, test } from "vitest";
import { SpeechLog } from "../../../source/ui/layouts/reader.tsx";
import { FakeScreen, sampleFrame } from "../support/fake-screen.tsx";
import { openReader, programOf } from "../support/render.tsx";

function texts(log: SpeechLog, title: string, lines: readonly string[]): string[] {
  log.read({ title, spoken: () => ({ finished: lines, live: [] }) });
  return log.get().printed.map(({ text }) => text);
}

test("new lines are printed, earlier ones are not repeated", () => {
  const log = new SpeechLog();
  expect(texts(log, "Chat", ["You: hi"])).toEqual(["You: hi"]);
  expect(texts(log, "Chat", ["You: hi", "Assistant: hello", "You: hi"])).toEqual([
    "You: hi",
    "Assistant: hello",
    "You: hi",
  ]);
});

test("a change in the middle of a list prints only the new lines", () => {
  const log = new SpeechLog();
  texts(log, "Server", ["a 1", "b 1"]);
  expect(texts(log, "Server", ["b 1", "a 2", "c 1"])).toEqual(["a 1", "b 1", "a 2", "c 1"]);
});

test("a change of screen is announced, and earlier lines are not repeated", () => {
  const log = new SpeechLog();
  texts(log, "Chat", ["hello"]);
  expect(texts(log, "Server", ["GET /"])).toEqual(["hello", "Screen: Server", "GET /"]);
  expect(texts(log, "Chat", ["hello", "again"])).toEqual([
    "hello",
    "Screen: Server",
    "GET /",
    "Screen: Chat",
    "again",
  ]);
});

test("control characters of both kinds of lines are escaped", async () => {
  const chat = new FakeScreen("chat", "Chat");
  chat.lines = ["once\u001b[2J\u202e"];
  chat.live = ["now\u009b2J"];
  const frame = sampleFrame();
  frame.start([chat]);
  const screen = openReader(programOf(frame, "reader"), 60, 16);
  await screen.until("once^[[2J\nnow\\x9b2J");
});
