// Tests that the field shows the text around the cursor, and the subject of the next message.
// Draws the component as text, and in an in-memory terminal for its cursor.

import { Box } from "ink";
import { describe, expect, test } from "vitest";
import { createEditorState } from "../../../../../source/ui/editor/editor-state.ts";
import type { ChatState } from "../../../../../source/ui/screens/chat/chat-state.ts";
import { Composer, titleOf } from "../../../../../source/ui/screens/chat/composer/composer.tsx";
import { openTree, renderAt } from "../../../support/render.tsx";
import { sampleView } from "../sample-view.ts";

function typed(text: string, cursor = text.length): Partial<ChatState> {
  return { editor: { ...createEditorState(["plan the release"]), text, cursor } };
}

function drawn(state: Partial<ChatState>, textRows = 1, isAscii = false): string[] {
  const { store } = sampleView({ state });
  const tree = <Composer store={store} columns={40} textRows={textRows} y={0} />;
  return renderAt(tree, { columns: 40, isAscii }).lines();
}

test("an empty field shows a placeholder", () => {
  expect(drawn({})).toEqual([
    "╭──────────────────────────────────────╮",
    "│ > Send a message (/? for help)       │",
    "╰──────────────────────────────────────╯",
  ]);
});

test("ASCII terminals get only ASCII", () => {
  expect(drawn(typed("hello"), 1, true)).toEqual([
    "+--------------------------------------+",
    "| > hello                              |",
    "+--------------------------------------+",
  ]);
});

test("a long text shows the rows around the cursor", () => {
  const text = Array.from({ length: 6 }, (_, row) => `line ${row}`).join("\n");
  expect(drawn(typed(text), 3).slice(1, -1)).toEqual([
    "│ > line 3                             │",
    "│   line 4                             │",
    "│   line 5                             │",
  ]);
  expect(drawn(typed(text, 0), 3)[1]).toContain("> line 0");
});

test("the cursor follows the text, in cells, and is hidden while messages are read", async () => {
  const at = async (state: Partial<ChatState>, textRows = 1) => {
    const { store } = sampleView({ state });
    const screen = openTree(
      <Box flexDirection="column">
        <Composer store={store} columns={40} textRows={textRows} y={0} />
      </Box>,
      40,
      10,
    );
    await screen.until("╰");
    return { ...screen.cursor, isShown: screen.bytes.includes("\u001b[?25h") };
  };
  expect(await at({})).toEqual({ x: 4, y: 1, isShown: true });
  expect(await at(typed("a漢字"))).toEqual({ x: 9, y: 1, isShown: true });
  expect(await at(typed("one\ntwo"), 2)).toEqual({ x: 7, y: 2, isShown: true });
  expect((await at({ ...typed("abc"), selectedId: 1 })).isShown).toBe(false);
});

describe("the history search", () => {
  const search = (query: string, index?: number): Partial<ChatState> => ({
    ...typed("draft"),
    search: { query, index },
  });

  test("shows the query and the match", () => {
    expect(drawn(search("plan", 0))[1]).toContain("? plan  plan the release");
  });

  test("says that nothing matches, and nothing for an empty query", () => {
    expect(drawn(search("xyz"))[1]).toContain("? xyz  no match");
    expect(drawn(search(""))[1]).toBe("│ ?                                    │");
  });
});

test("the title says what the next message will do", () => {
  const image = { name: "cat.png", width: 1, height: 1, base64: "", preview: [] };
  const nothing = { editingId: undefined, waitingImages: [], isAttaching: false };
  expect(titleOf(nothing)).toBeUndefined();
  expect(titleOf({ ...nothing, editingId: 3 })).toBe("edit the last message");
  expect(titleOf({ ...nothing, waitingImages: [image, image] })).toBe("with cat.png, cat.png");
  expect(titleOf({ ...nothing, isAttaching: true, editingId: 3 })).toBe("reading files");
  expect(drawn({ waitingImages: [image] })[0]).toContain("╭─ with cat.png ─");
});
