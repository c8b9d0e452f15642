// Goal: a screen reader hears everything once, and a change again.
// Method: what screens say goes in, printed lines come out.

import { expect, test } from "vitest";
import { ReaderLog } from "../../../source/ui/layouts/reader-log.ts";

function texts(log: ReaderLog, title: string, lines: readonly string[]): string[] {
  return log.take(title, lines).map(({ text }) => text);
}

test("lines that are added are printed, those before are not repeated", () => {
  const log = new ReaderLog();
  expect(texts(log, "Chat", ["You: hi"])).toEqual(["You: hi"]);
  expect(texts(log, "Chat", ["You: hi", "Assistant: hello", "You: hi"])).toEqual([
    "You: hi",
    "Assistant: hello",
    "You: hi",
  ]);
});

test("of a list that changes in the middle only the new lines are printed", () => {
  const log = new ReaderLog();
  texts(log, "Server", ["a 1", "b 1"]);
  expect(texts(log, "Server", ["b 1", "a 2", "c 1"])).toEqual(["a 1", "b 1", "a 2", "c 1"]);
});

test("another screen is announced, and is remembered when one comes back", () => {
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
