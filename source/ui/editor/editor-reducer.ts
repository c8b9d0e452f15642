// The message editor as a pure function: state and action in, state out.

import {
  nextBoundary,
  nextWord,
  previousBoundary,
  previousWord,
  snapToBoundary,
} from "../../base/graphemes.ts";
import { harmlessInput } from "../../base/harmless-text.ts";
import { withHistoryEntry } from "../../chat/prompt-history.ts";
import { layoutEditor, offsetAt } from "./editor-layout.ts";
import type { EditorAction, EditorState } from "./editor-state.ts";

/** Applies one action. */
export function reduceEditor(state: EditorState, action: EditorAction): EditorState {
  if (action.type === "select") return { ...state, isSelected: true };
  if (!state.isSelected) return changed(state, action);
  const isReplacing = /^(?:insert|newline|deleteBackward|deleteForward)$/.test(action.type);
  const kept = isReplacing ? withText(state, "", 0) : state;
  return changed({ ...kept, isSelected: false }, action);
}

function changed(
  state: EditorState,
  action: Exclude<EditorAction, { type: "select" }>,
): EditorState {
  const { text, cursor } = state;
  switch (action.type) {
    case "insert":
      return replaceRange(state, cursor, cursor, harmlessInput(action.text));
    case "newline":
      return replaceRange(state, cursor, cursor, "\n");
    case "deleteBackward":
      return replaceRange(state, previousBoundary(text, cursor), cursor, "");
    case "deleteForward":
      return replaceRange(state, cursor, nextBoundary(text, cursor), "");
    case "deleteWordBackward":
      return replaceRange(state, previousWord(text, cursor), cursor, "");
    case "deleteToLineEnd":
      return deleteToLineEnd(state);
    case "deleteToLineStart":
      return deleteToLineStart(state);
    case "moveRow":
      return moveRow(state, action.direction, action.width);
    case "replace":
      return { ...withText(state, action.text, action.text.length), historyIndex: undefined };
    case "setText": {
      const { text: next, cursor: at } = action;
      return { ...withText(state, next, snapToBoundary(next, at)), historyIndex: undefined };
    }
    case "shelve":
      return shelve(state);
    case "restore":
      return restore(state, action.text);
    default:
      return { ...state, cursor: moves[action.type](text, cursor), goalColumn: undefined };
  }
}

const moves = {
  moveLeft: previousBoundary,
  moveRight: nextBoundary,
  moveWordLeft: previousWord,
  moveWordRight: nextWord,
  moveLineStart: lineStart,
  moveLineEnd: lineEnd,
} as const;

function lineStart(text: string, cursor: number): number {
  return cursor === 0 ? 0 : text.lastIndexOf("\n", cursor - 1) + 1;
}

function lineEnd(text: string, cursor: number): number {
  const newline = text.indexOf("\n", cursor);
  return newline === -1 ? text.length : newline;
}

function withText(state: EditorState, text: string, cursor: number): EditorState {
  return { ...state, text, cursor, goalColumn: undefined };
}

function replaceRange(
  state: EditorState,
  start: number,
  end: number,
  insertion: string,
): EditorState {
  if (start === end && insertion === "") return { ...state, goalColumn: undefined };
  const text = state.text.slice(0, start) + insertion + state.text.slice(end);
  // An accent or a joiner may have joined a neighbouring cluster.
  return withText(state, text, snapToBoundary(text, start + insertion.length));
}

/** At the end of a line, deletes the line break. */
function deleteToLineEnd(state: EditorState): EditorState {
  const end = lineEnd(state.text, state.cursor);
  return replaceRange(state, state.cursor, end === state.cursor ? end + 1 : end, "");
}

function deleteToLineStart(state: EditorState): EditorState {
  const start = lineStart(state.text, state.cursor);
  const from = start === state.cursor ? Math.max(0, start - 1) : start;
  return replaceRange(state, from, state.cursor, "");
}

function moveRow(state: EditorState, direction: -1 | 1, width: number): EditorState {
  const layout = layoutEditor(state.text, state.cursor, width, 1);
  const goalColumn = state.goalColumn ?? layout.cursorColumn;
  const row = layout.rows[layout.cursorRow + direction];
  if (row === undefined) return moveInHistory(state, direction);
  return { ...state, cursor: offsetAt(state.text, row, goalColumn), goalColumn };
}

function moveInHistory(state: EditorState, direction: -1 | 1): EditorState {
  const { history, historyIndex } = state;
  const index = (historyIndex ?? history.length) + direction;
  if (index < 0 || index > history.length) return state;
  const draft = historyIndex === undefined ? state.text : state.draft;
  const isDraft = index === history.length;
  if (isDraft && historyIndex === undefined) return state;
  const text = isDraft ? draft : (history[index] ?? "");
  const shown = withText(state, text, text.length);
  return { ...shown, draft, historyIndex: isDraft ? undefined : index };
}

function shelve(state: EditorState): EditorState {
  return {
    ...withText(state, "", 0),
    history: withHistoryEntry(state.history, state.text),
    historyIndex: undefined,
    draft: "",
  };
}

function restore(state: EditorState, text: string): EditorState {
  const separator = state.text === "" ? "" : "\n";
  return {
    ...withText(
      state,
      text + separator + state.text,
      text.length + separator.length + state.cursor,
    ),
    historyIndex: undefined,
  };
}
