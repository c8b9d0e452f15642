// Fields of one line: editing keys, and the visible part of the text.

import { textWidth } from "../../base/graphemes.ts";
import { textBetween } from "../text/text-run.ts";
import { reduceEditor } from "./editor-reducer.ts";
import type { EditorAction, EditorState } from "./editor-state.ts";

export type FieldAction = Exclude<
  EditorAction["type"],
  "insert" | "newline" | "moveRow" | "replace" | "setText" | "select" | "shelve" | "restore"
>;

/** Editing actions of one-line fields and the message editor, with titles and keys. */
export const fieldActions: readonly (readonly [
  FieldAction,
  title: string,
  keys: readonly string[],
])[] = [
  ["moveLeft", "Character left", ["Left", "Ctrl+B"]],
  ["moveRight", "Character right", ["Right", "Ctrl+F"]],
  ["moveWordLeft", "Word left", ["Alt+B", "Alt+Left", "Ctrl+Left"]],
  ["moveWordRight", "Word right", ["Alt+F", "Alt+Right", "Ctrl+Right"]],
  ["moveLineStart", "Start of the line", ["Home", "Ctrl+A"]],
  ["moveLineEnd", "End of the line", ["End", "Ctrl+E"]],
  ["deleteBackward", "Delete backward", ["Backspace", "Ctrl+H", "Shift+Backspace"]],
  ["deleteForward", "Delete forward", ["Delete", "Ctrl+D"]],
  ["deleteWordBackward", "Delete the previous word", ["Ctrl+W", "Alt+Backspace"]],
  ["deleteToLineEnd", "Delete to the end of the line", ["Ctrl+K"]],
  ["deleteToLineStart", "Delete to the start of the line", ["Ctrl+U"]],
];

/** Returns the field after an editing key; undefined for any other key. */
export function fieldAfterKey(state: EditorState, name: string): EditorState | undefined {
  const found = fieldActions.find(([, , keys]) => keys.includes(name));
  return found === undefined ? undefined : reduceEditor(state, { type: found[0] });
}

/** Inserts typed or pasted text; tabs and line breaks become blanks. */
export function fieldAfterText(state: EditorState, text: string): EditorState {
  return reduceEditor(state, { type: "insert", text: text.replace(/[\t\r\n]+/g, " ") });
}

/** Returns a field with this text and the cursor at its end. */
export function fieldWith(state: EditorState, text: string): EditorState {
  return reduceEditor(state, { type: "replace", text });
}

/** Visible part of a field. */
export interface FieldWindow {
  readonly text: string;
  /** Cells from the left of the field. */
  readonly cursorX: number;
}

/** Returns the part of the text around the cursor that fits into `width` cells, including the cursor's. */
export function fieldWindow(
  { text, cursor }: Pick<EditorState, "text" | "cursor">,
  width: number,
): FieldWindow {
  const before = textWidth(text.slice(0, cursor));
  const from = Math.max(0, before - width + 1);
  return { text: textBetween(text, from, from + width), cursorX: before - from };
}
