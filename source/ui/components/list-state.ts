// State of a list: the selected row, and the filter while it is typed.

import { createEditorState, type EditorState } from "../editor/editor-state.ts";
import { fieldWith } from "../editor/line-field.ts";

/** Selects a row by its name. Once that row is gone, its index selects another. */
export interface Selection {
  readonly name: string | undefined;
  readonly index: number;
}

export const firstRow: Selection = { name: undefined, index: 0 };
/** Stays at the end when rows are added. */
export const lastRow: Selection = { name: undefined, index: Infinity };

/** Returns the index of the selected row, or of the row in its place; -1 in an empty list. */
export function selectedIndex({ name, index }: Selection, names: readonly string[]): number {
  const at = name === undefined ? -1 : names.indexOf(name);
  return at === -1 ? Math.min(index, names.length - 1) : at;
}

/** Moves the selection. @param rows down where positive; infinities are the ends */
export function movedSelection(
  selection: Selection,
  names: readonly string[],
  rows: number,
): Selection {
  const wanted = selectedIndex(selection, names) + rows;
  const index = Math.max(0, Math.min(names.length - 1, wanted));
  return { name: names[index], index };
}

/** The filter being typed, and the filter before that. */
export interface FilterField {
  readonly editor: EditorState;
  readonly before: string;
}

/** Opens the field with the filter in use. */
export function openedField(filter: string): FilterField {
  return { editor: fieldWith(createEditorState(), filter), before: filter };
}
