// Tests the names of keys, including keys that arrive in one piece over a slow line.

import type { Key } from "ink";
import { describe, expect, test } from "vitest";
import { interpretInput, interpretTypedAhead } from "../../../source/ui/frame/key-name.ts";

const noKey: Key = {
  upArrow: false,
  downArrow: false,
  leftArrow: false,
  rightArrow: false,
  pageDown: false,
  pageUp: false,
  home: false,
  end: false,
  return: false,
  escape: false,
  ctrl: false,
  shift: false,
  tab: false,
  backspace: false,
  delete: false,
  meta: false,
  super: false,
  hyper: false,
  capsLock: false,
  numLock: false,
};

function interpret(input: string, key: Partial<Key> = {}, isTypedAhead = false): string[] {
  return interpretInput(input, { ...noKey, ...key }, isTypedAhead).map((press) =>
    press.kind === "key" ? `<${press.name}>` : press.text,
  );
}

describe("single keys", () => {
  test.each<[string, string, Partial<Key>]>([
    ["<Enter>", "", { return: true }],
    ["<Alt+Enter>", "", { return: true, meta: true }],
    ["<Shift+Enter>", "\r", { return: true, shift: true }],
    ["<Ctrl+J>", "\n", {}],
    ["<Ctrl+J>", "j", { ctrl: true }],
    ["<Ctrl+W>", "w", { ctrl: true }],
    ["<Alt+B>", "b", { meta: true }],
    ["<Alt+Backspace>", "", { backspace: true, meta: true }],
    ["<Ctrl+Left>", "", { leftArrow: true, ctrl: true }],
    ["<Esc>", "", { escape: true, meta: true }],
    ["A", "A", { shift: true }],
    ["?", "?", {}],
  ])("%s", (expected, input, key) => {
    expect(interpret(input, key)).toEqual([expected]);
  });

  test("released and unknown keys are ignored", () => {
    expect(interpret("a", { eventType: "release" })).toEqual([]);
    expect(interpret("a", { super: true })).toEqual([]);
    expect(interpret("", { ctrl: true })).toEqual([]);
    expect(interpret("\x00")).toEqual([]);
  });
});

describe("a chunk of several keys", () => {
  test("is split", () => {
    expect(interpret("hello\r")).toEqual(["hello", "<Enter>"]);
    expect(interpret("\x01abc\x05d")).toEqual(["<Ctrl+A>", "abc", "<Ctrl+E>", "d"]);
    expect(interpret("two\nlines\r")).toEqual(["two", "<Ctrl+J>", "lines", "<Enter>"]);
    expect(interpret("/cl\t")).toEqual(["/cl", "<Tab>"]);
    expect(interpret("\t\r")).toEqual(["<Tab>", "<Enter>"]);
    expect(interpret("/cl\t\r")).toEqual(["/cl", "<Tab>", "<Enter>"]);
    expect(interpret("\t\t")).toEqual(["<Tab>", "<Tab>"]);
  });

  test("with several line breaks is a paste and never sends", () => {
    expect(interpret("a\rb\r\nc\r")).toEqual(["a", "<Ctrl+J>", "b", "<Ctrl+J>", "c", "<Ctrl+J>"]);
    expect(interpret("a\tb\tc")).toEqual(["a", "\t", "b", "\t", "c"]);
    expect(interpret("a\tb\r")).toEqual(["a", "\t", "b", "<Enter>"]);
    expect(interpret("a\rb")).toEqual(["a", "<Ctrl+J>", "b"]);
  });

  test("sends its lines when they were typed before anything read them", () => {
    const lines = interpretTypedAhead("o\u001b[Dne\ntwo").map((press) =>
      Object.values(press).join(" "),
    );
    expect(lines).toEqual(["text one", "key Enter", "text two"]);
    expect(interpret("one\n", {}, true)).toEqual(["one", "<Ctrl+J>"]);
    expect(interpret("one\rtwo\rthree", {}, true)).toEqual([
      "one",
      "<Enter>",
      "two",
      "<Enter>",
      "three",
    ]);
  });
});
