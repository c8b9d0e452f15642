// Rows of a page: text, fields and choices, with and without the focus, with Unicode and without.
import { Box } from "ink";
import { describe, expect, test } from "vitest";
import { createEditorState } from "../../../../source/ui/editor/editor-state.ts";
import { fieldWith } from "../../../../source/ui/editor/line-field.ts";
import {
  type ChoiceItem,
  hidden,
  type TextItem,
} from "../../../../source/ui/screens/deploy/form.ts";
import { FormRow } from "../../../../source/ui/screens/deploy/form-row.tsx";
import type { PageRow } from "../../../../source/ui/screens/deploy/page-layout.ts";
import { asciiGlyphs, type Glyphs } from "../../../../source/ui/theme.ts";
import { openTree, renderAt } from "../../support/render.tsx";

const name: TextItem = { kind: "text", id: "name", label: "Name", value: "chat" };
const access: ChoiceItem = {
  kind: "choice",
  id: "auth",
  label: "Access",
  value: "shared",
  options: [
    { value: "private", title: "private", note: "keys of the organisation" },
    { value: "shared", title: "shared", note: "any key of the server" },
  ],
};

function tree(row: PageRow, typed = "") {
  const editor = fieldWith(createEditorState(), typed);
  return <FormRow row={row} y={0} width={30} labelWidth={8} editor={editor} />;
}

function rowOf(row: PageRow, typed = "", glyphs?: Glyphs): string {
  return renderAt(tree(row, typed), { columns: 30, ...(glyphs && { glyphs }) }).text();
}

const field = (item: TextItem, isFocused = false): PageRow => ({
  kind: "item",
  key: item.id,
  item,
  isFocused,
});

describe("a field", () => {
  test("has its label beside it, and a marker while it has the keys", () => {
    expect(rowOf(field(name)).trimEnd()).toBe("  Name    chat");
    expect(rowOf(field(name, true), "chat").trimEnd()).toBe("> Name    chat");
  });

  test("shows a placeholder in place of nothing", () => {
    const empty = { ...name, value: "", placeholder: "one is drawn" };
    expect(rowOf(field(empty)).trimEnd()).toBe("  Name    one is drawn");
    expect(rowOf(field(empty, true)).trimEnd()).toBe("> Name    one is drawn");
  });

  test("hides a secret, also while it is typed", () => {
    const secret = { ...name, value: "hunter2", mask: hidden };
    expect(rowOf(field(secret)).trimEnd()).toBe("  Name    *******");
    expect(rowOf(field(secret, true), "hunter2").trimEnd()).toBe("> Name    *******");
  });

  test("cuts a long value with a mark, and scrolls it while it is typed", () => {
    const long = { ...name, value: `${"x".repeat(40)}END` };
    expect(rowOf(field(long))).toBe(`  Name    ${"x".repeat(19)}…`);
    expect(rowOf(field(long), "", asciiGlyphs)).toBe(`  Name    ${"x".repeat(17)}...`);
    expect(rowOf(field(long, true), long.value).trimEnd()).toBe(`> Name    ${"x".repeat(16)}END`);
  });

  test("has the cursor behind what was typed, in cells", async () => {
    const screen = openTree(tree(field({ ...name, value: "日本" }, true), "日本"), 30, 2);
    await screen.until(({ cursor }) => cursor.x === 14 && cursor.y === 0);
    expect(screen.text).toContain("> Name    日本");
  });
});

describe("a choice", () => {
  test("among fields shows the chosen option between signs that there are others", () => {
    const row: PageRow = { kind: "item", key: "auth", item: access, isFocused: true };
    expect(rowOf(row)).toBe("> Access  < shared >  any key…");
    expect(rowOf({ ...row, isFocused: false }, "", asciiGlyphs)).toBe(
      "  Access  < shared >  any k...",
    );
  });

  test("alone on its page has a row for each option", () => {
    const rows = access.options.map((option) => {
      return rowOf({ kind: "option", key: option.value, item: access, option });
    });
    expect(rows).toEqual(["  ○ private  keys of the orga…", "> ● shared   any key of the s…"]);
  });
});

describe("a text", () => {
  test("stands behind its sign and label, and an empty one has a row too", () => {
    const row: PageRow = { kind: "text", key: "a", lead: "✗ start    ", text: "no", tone: "error" };
    expect(rowOf(row)).toBe("✗ start    no");
    const blank: PageRow = { kind: "text", key: "b", lead: "", text: "", tone: "plain" };
    const column = (
      <Box flexDirection="column">
        {tree(blank)}
        {tree(row)}
      </Box>
    );
    expect(renderAt(column).lines()).toEqual(["", "✗ start    no"]);
  });
});
