// Tests rows of a page: text, fields and choices, with and without focus and Unicode.
import { Box } from "ink";
import { describe, expect, test } from "vitest";
import { createEditorState } from "../../../../source/ui/editor/editor-state.ts";
import { fieldWith } from "../../../../source/ui/editor/line-field.ts";
import {
  blank,
  type ChoiceItem,
  errorLine,
  hidden,
  type Item,
  type TextItem,
} from "../../../../source/ui/screens/deploy/form.ts";
import { itemRows, lineRows } from "../../../../source/ui/screens/deploy/page-rows.tsx";
import { openTree, renderAt } from "../../support/render.tsx";

const name: TextItem = { kind: "text", id: "name", label: "Name", value: "chat" };
const access: ChoiceItem = {
  kind: "choice",
  id: "auth",
  label: "Access",
  value: "shared",
  options: [
    { value: "private", title: "private", note: "keys of this organisation" },
    { value: "shared", title: "shared", note: "any key of this server" },
  ],
};

interface Look {
  readonly isFocused?: boolean;
  readonly isAlone?: boolean;
  readonly typed?: string;
  readonly isAscii?: boolean;
}

function treesOf(item: Item, { isFocused = false, isAlone = false, typed = "" }: Look = {}) {
  const editor = fieldWith(createEditorState(), typed);
  return itemRows(item, { isFocused, isAlone, room: { width: 30, labelWidth: 8 }, editor });
}

function rowsOf(item: Item, look: Look = {}): string[] {
  const { isAscii = false } = look;
  return treesOf(item, look).map((tree) => renderAt(tree, { columns: 30, isAscii }).text());
}

function rowOf(item: Item, look: Look = {}): string {
  const [row = ""] = rowsOf(item, look);
  return row;
}

describe("a field", () => {
  test("has its label beside it, and a marker while it has the focus", () => {
    expect(rowOf(name).trimEnd()).toBe("  Name    chat");
    expect(rowOf(name, { isFocused: true, typed: "chat" }).trimEnd()).toBe("> Name    chat");
  });

  test("shows a placeholder while it is empty", () => {
    const empty = { ...name, value: "", placeholder: "like the script" };
    expect(rowOf(empty).trimEnd()).toBe("  Name    like the script");
    expect(rowOf(empty, { isFocused: true }).trimEnd()).toBe("> Name    like the script");
  });

  test("hides a secret, also while it is typed", () => {
    const secret = { ...name, value: "hunter2", mask: hidden };
    expect(rowOf(secret).trimEnd()).toBe("  Name    *******");
    expect(rowOf(secret, { isFocused: true, typed: "hunter2" }).trimEnd()).toBe(
      "> Name    *******",
    );
  });

  test("cuts a long value with an ellipsis, and scrolls it while it is typed", () => {
    const long = { ...name, value: `${"x".repeat(40)}END` };
    expect(rowOf(long)).toBe(`  Name    ${"x".repeat(19)}…`);
    expect(rowOf(long, { isAscii: true })).toBe(`  Name    ${"x".repeat(19)}~`);
    expect(rowOf(long, { isFocused: true, typed: long.value }).trimEnd()).toBe(
      `> Name    ${"x".repeat(16)}END`,
    );
  });

  test("has the cursor after the typed text, in cells", async () => {
    const [tree] = treesOf({ ...name, value: "日本" }, { isFocused: true, typed: "日本" });
    if (tree === undefined) throw new Error("the row is missing");
    const screen = openTree(tree, 30, 2);
    await screen.until(({ cursor }) => cursor.x === 14 && cursor.y === 0);
    expect(screen.text).toContain("> Name    日本");
  });
});

describe("a choice", () => {
  test("among fields shows its option between arrows", () => {
    expect(rowOf(access, { isFocused: true })).toBe("> Access  < shared >  any key…");
    expect(rowOf(access, { isAscii: true })).toBe("  Access  < shared >  any key~");
  });

  test("alone on its page has a row for each option", () => {
    const rows = rowsOf(access, { isAlone: true });
    expect(rows).toEqual(["  ○ private  keys of this org…", "> ● shared   any key of this …"]);
  });
});

describe("a text", () => {
  test("follows its sign and label, and an empty one has a row too", () => {
    const column = (
      <Box flexDirection="column">
        {lineRows(blank, 30)}
        {lineRows({ ...errorLine("no"), label: "start    " }, 30)}
      </Box>
    );
    expect(renderAt(column).lines()).toEqual(["", "✗ start    no"]);
  });
});
