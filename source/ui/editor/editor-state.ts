// State of the message editor, and its actions.

import { historyEntriesMaximum } from "../../chat/prompt-history.ts";

/** A text with a cursor, and earlier entries that can replace it. */
export interface EditorState {
  readonly text: string;
  /** Offset of the cursor in UTF-16 units, always between two grapheme clusters. */
  readonly cursor: number;
  /** Column that vertical moves try to keep; undefined after any other action. */
  readonly goalColumn: number | undefined;
  /** Earlier entries, oldest first. */
  readonly history: readonly string[];
  /** The shown entry; undefined for the user's own draft. */
  readonly historyIndex: number | undefined;
  /** The user's own text, kept while an entry is shown. */
  readonly draft: string;
  /** All of the text is selected: typing replaces it, Backspace and Delete clear it. */
  readonly isSelected: boolean;
}

export type EditorAction =
  | { type: "insert"; text: string }
  | { type: "newline" }
  | { type: "deleteBackward" }
  | { type: "deleteForward" }
  | { type: "deleteWordBackward" }
  | { type: "deleteToLineEnd" }
  | { type: "deleteToLineStart" }
  | { type: "moveLeft" }
  | { type: "moveRight" }
  | { type: "moveWordLeft" }
  | { type: "moveWordRight" }
  | { type: "moveLineStart" }
  | { type: "moveLineEnd" }
  /** Up or down by one row of a field of `width` cells; past the edge it walks through history. */
  | { type: "moveRow"; direction: -1 | 1; width: number }
  | { type: "replace"; text: string }
  /** As `replace`, with the cursor somewhere in it. */
  | { type: "setText"; text: string; cursor: number }
  /** Selects the text, until the next action. */
  | { type: "select" }
  /** Empties the field; its text becomes the newest entry of the history. */
  | { type: "shelve" }
  /** Puts a text that could not be sent in front of the text typed since. */
  | { type: "restore"; text: string };

export function createEditorState(history: readonly string[] = []): EditorState {
  return {
    text: "",
    cursor: 0,
    goalColumn: undefined,
    history: history.slice(-historyEntriesMaximum),
    historyIndex: undefined,
    draft: "",
    isSelected: false,
  };
}
