// Goal: a field of one line takes text and keys, and the cursor stays in sight.
// Method: keys and text in, the picture out.

import { describe, expect, test } from "vitest";
import { createEditorState } from "../../../source/ui/editor/editor-state.ts";
import {
  fieldAfterKey,
  fieldAfterText,
  fieldCommandFacts,
  fieldPicture,
  fieldWith,
} from "../../../source/ui/panes/text-field.ts";

const empty = createEditorState();

describe("a field", () => {
  test("keeps one line, whatever is pasted", () => {
    expect(fieldAfterText(empty, "a\r\nb\tc\u001b[31m").text).toBe("a b c[31m");
  });

  test("knows the editing keys and no others", () => {
    const field = fieldWith(empty, "status:4xx words");
    expect(fieldAfterKey(field, "Ctrl+W")?.text).toBe("status:4xx ");
    expect(fieldAfterKey(field, "Backspace")?.text).toBe("status:4xx word");
    expect(fieldAfterKey(field, "Home")?.cursor).toBe(0);
    expect(fieldAfterKey(field, "Enter")).toBeUndefined();
    const keys = fieldCommandFacts.flatMap((command) => command.keys);
    expect(keys).toEqual([...new Set(keys)]);
    for (const key of keys) expect(fieldAfterKey(field, key)).toBeDefined();
  });

  test("shows the part around the cursor, in exactly its width", () => {
    const field = fieldWith(empty, "abcdefghij");
    expect(fieldPicture(field, 6)).toEqual({ span: { text: "fghij ", tone: "plain" }, cursorX: 5 });
    const start = fieldAfterKey(field, "Home") ?? field;
    expect(fieldPicture(start, 6)).toEqual({ span: { text: "abcdef", tone: "plain" }, cursorX: 0 });
    const wide = fieldWith(empty, "漢字漢字");
    expect(fieldPicture(wide, 6)).toEqual({ span: { text: " 漢字 ", tone: "plain" }, cursorX: 5 });
  });
});
