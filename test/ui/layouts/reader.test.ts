// Tests that screen readers get each line once, and changed lines again.

import { expect, test } from "vitest";
import { ReaderLog } from "../../../source/ui/layouts/reader.tsx";

function texts(log: ReaderLog, title: string, lines: readonly string[]): string[] {
  log.read({ title, readerLines: () => lines });
  return log.lines.map(({ text }) => text);
}

test("new lines are printed, earlier ones are not repeated", () => {
  const log = new ReaderLog();
  expect(texts(log, "Chat", ["You: hi"])).toEqual(["You: hi"]);
  expect(texts(log, "Chat", ["You: hi", "Assistant: hello", "You: hi"])).toEqual([
    "You: hi",
    "Assistant: hello",
    "You: hi",
  ]);
});

test("a change in the middle of a list prints only the new lines", () => {
  const log = new ReaderLog();
  texts(log, "Server", ["a 1", "b 1"]);
  expect(texts(log, "Server", ["b 1", "a 2", "c 1"])).toEqual(["a 1", "b 1", "a 2", "c 1"]);
});

test("a change of screen is announced, and earlier lines are not repeated", () => {
  const log = new ReaderLog();
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
