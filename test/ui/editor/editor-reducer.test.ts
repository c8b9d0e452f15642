// Tests editing by grapheme clusters, with actions applied to the pure reducer.

import { describe, expect, test } from "vitest";
import { historyEntriesMaximum } from "../../../source/chat/prompt-history.ts";
import { reduceEditor } from "../../../source/ui/editor/editor-reducer.ts";
import {
  createEditorState,
  type EditorAction,
  type EditorState,
} from "../../../source/ui/editor/editor-state.ts";

/** `|` in a text marks the cursor. */
function at(marked: string, history: readonly string[] = []): EditorState {
  const cursor = marked.indexOf("|");
  return { ...createEditorState(history), text: marked.replace("|", ""), cursor };
}

function apply(state: EditorState, ...actions: (EditorAction | PlainType)[]): string {
  return shown(run(state, ...actions));
}

type PlainType = Exclude<
  EditorAction["type"],
  "insert" | "replace" | "setText" | "restore" | "moveRow"
>;

function run(state: EditorState, ...actions: (EditorAction | PlainType)[]): EditorState {
  return actions.reduce<EditorState>(
    (now, action) => reduceEditor(now, typeof action === "string" ? { type: action } : action),
    state,
  );
}

function shown({ text, cursor }: EditorState): string {
  return `${text.slice(0, cursor)}|${text.slice(cursor)}`;
}

const insert = (text: string): EditorAction => ({ type: "insert", text });
const up: EditorAction = { type: "moveRow", direction: -1, width: 10 };
const down: EditorAction = { type: "moveRow", direction: 1, width: 10 };

describe("characters", () => {
  test("of several code points are deleted and skipped as one", () => {
    expect(apply(at("a👩‍👩‍👧|"), "deleteBackward")).toBe("a|");
    expect(apply(at("a|👍🏽b"), "deleteForward")).toBe("a|b");
    expect(apply(at("e\u0301|"), "moveLeft")).toBe("|e\u0301");
    expect(apply(at("|🇩🇪🇫🇷"), "moveRight")).toBe("🇩🇪|🇫🇷");
  });

  test("joined by an insertion never have the cursor inside", () => {
    const joined = apply(at("👩|👧"), insert("\u200d"));
    expect(joined).toBe("|👩\u200d👧");
  });

  test("at the ends of the text are deleted only once", () => {
    expect(apply(at("|a"), "deleteBackward")).toBe("|a");
    expect(apply(at("a|"), "deleteForward", "moveRight")).toBe("a|");
  });
});

describe("words and lines", () => {
  test("moves and deletions stop at word boundaries", () => {
    expect(apply(at("one two-three |"), "moveWordLeft")).toBe("one two-|three ");
    expect(apply(at("one |two"), "moveWordLeft", "moveWordLeft")).toBe("|one two");
    expect(apply(at("|one two"), "moveWordRight", "moveWordRight")).toBe("one two|");
    expect(apply(at("one two  |"), "deleteWordBackward")).toBe("one |");
    expect(apply(at("größe|"), "deleteWordBackward")).toBe("|");
  });

  test("line start and end belong to the line with the cursor", () => {
    expect(apply(at("one\ntw|o\nthree"), "moveLineStart")).toBe("one\n|two\nthree");
    expect(apply(at("one\ntw|o\nthree"), "moveLineEnd")).toBe("one\ntwo|\nthree");
    expect(apply(at("one\ntw|o\nthree"), "deleteToLineEnd")).toBe("one\ntw|\nthree");
    expect(apply(at("one\ntw|\nthree"), "deleteToLineEnd")).toBe("one\ntw|three");
    expect(apply(at("one\ntw|o"), "deleteToLineStart")).toBe("one\n|o");
    expect(apply(at("one\n|o"), "deleteToLineStart")).toBe("one|o");
  });
});

describe("several actions in one tick", () => {
  test("are applied one after the other", () => {
    const state = createEditorState();
    expect(apply(state, insert("wrld"), "moveLeft", "moveLeft", "moveLeft", insert("o"))).toBe(
      "wo|rld",
    );
  });

  test("a paste is one insertion with one kind of line break", () => {
    expect(apply(at("a|b"), insert("1\r\n2\r3\n4"))).toBe("a1\n2\n3\n4|b");
  });
});

describe("rows", () => {
  test("up and down keep the column across short rows, counting wide characters as two", () => {
    const start = at("abcdef\nxy\n漢字漢|字", ["old"]);
    expect(apply(start, up)).toBe("abcdef\nxy|\n漢字漢字");
    expect(apply(start, up, up)).toBe("abcdef|\nxy\n漢字漢字");
    expect(apply(start, up, up, down, down)).toBe("abcdef\nxy\n漢字漢|字");
  });

  test("up and down move through the rows of a wrapped line", () => {
    const start = at("one two three four|", ["old"]);
    expect(apply(start, up)).toBe("one two| three four");
    expect(apply(start, up, down)).toBe("one two three four|");
  });
});

describe("history", () => {
  test("begins above the first row and ends with the draft", () => {
    const start = at("draft|", ["first", "second"]);
    expect(apply(start, up)).toBe("second|");
    expect(apply(start, up, up)).toBe("first|");
    expect(apply(start, up, up, up)).toBe("first|");
    expect(apply(start, up, up, down, down)).toBe("draft|");
    expect(apply(start, up, up, down, down, down)).toBe("draft|");
  });

  test("an edited entry becomes the newest one", () => {
    const after = run(at("|", ["first", "second"]), up, up, insert("!"), "shelve");
    expect(after.text).toBe("");
    expect(after.history).toEqual(["first", "second", "first!"]);
    expect(shown(run(after, up))).toBe("first!|");
  });

  test("keeps no repetitions, no blank entries, and at most its limit", () => {
    const repeated = run(at("|", ["same"]), insert("same"), "shelve", insert("  "), "shelve");
    expect(repeated.history).toEqual(["same"]);
    const many = Array.from({ length: historyEntriesMaximum }, (_, index) => `entry ${index}`);
    const full = run(at("|", many), insert("one more"), "shelve");
    expect(full.history).toHaveLength(historyEntriesMaximum);
    expect(full.history[0]).toBe("entry 1");
  });
});

test("a restored text goes before what was typed since, and the cursor stays", () => {
  expect(apply(at("|"), { type: "restore", text: "sent" })).toBe("sent|");
  expect(apply(at("n|ew"), { type: "restore", text: "sent" })).toBe("sent\nn|ew");
});
