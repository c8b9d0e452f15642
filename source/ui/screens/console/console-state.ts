// What a person has chosen on the console, and how keys change it.

import type { NewKeyDocument } from "../../../cloud/admin/documents.ts";
import type { EditorState } from "../../editor/editor-state.ts";

export const panes = ["apps", "replicas", "keys", "logs"] as const;
export type Pane = (typeof panes)[number];

export interface ConsoleState {
  readonly pane: Pane;
  /** The pane has the whole screen. */
  readonly isZoomed: boolean;
  /** By name; what is gone is replaced by what stands in its place. */
  readonly selected: Readonly<Record<"apps" | "replicas" | "keys", Selection>>;
  /** Only apps that have this in their name are shown. */
  readonly filter: string;
  /** The field one types in, and what it held before. */
  readonly field: { readonly editor: EditorState; readonly before: string } | undefined;
  readonly isWrapped: boolean;
  /** Details of an app in place of the panes, by their first row in sight. */
  readonly details: { readonly app: string; readonly top: number } | undefined;
  /** A key that was just made: its token is seen this once. */
  readonly made: { readonly document: NewKeyDocument; readonly isCopied: boolean } | undefined;
  /** Deployments that this console has set going, by app: what they are at. */
  readonly works: Readonly<Record<string, string>>;
}

export interface Selection {
  readonly name: string | undefined;
  /** Where it stood. */
  readonly index: number;
}

const first: Selection = { name: undefined, index: 0 };

export const initialState: ConsoleState = {
  pane: "apps",
  isZoomed: false,
  selected: { apps: first, replicas: first, keys: first },
  filter: "",
  field: undefined,
  isWrapped: false,
  details: undefined,
  made: undefined,
  works: {},
};

/** Where the selection is now: with its item, or where that stood. -1 in an empty list. */
export function selectedIndex({ name, index }: Selection, names: readonly string[]): number {
  const at = name === undefined ? -1 : names.indexOf(name);
  return at === -1 ? Math.min(index, names.length - 1) : at;
}

/** The selection by so many rows; infinities are the ends. */
export function moveSelection(
  selection: Selection,
  names: readonly string[],
  rows: number,
): Selection {
  const index = Math.max(0, Math.min(names.length - 1, selectedIndex(selection, names) + rows));
  return { name: names[index], index };
}

export function select(
  state: ConsoleState,
  list: keyof ConsoleState["selected"],
  selection: Selection,
): ConsoleState {
  return { ...state, selected: { ...state.selected, [list]: selection } };
}

/** The next pane, or the one before. */
export function changePane(state: ConsoleState, step: -1 | 1): ConsoleState {
  const at = (panes.indexOf(state.pane) + step + panes.length) % panes.length;
  return { ...state, pane: panes[at] ?? "apps" };
}

/** One level out: details, the whole screen, the pane, the filter. Undefined: nothing is open. */
export function goBack(state: ConsoleState): ConsoleState | undefined {
  if (state.details !== undefined) return { ...state, details: undefined };
  if (state.isZoomed) return { ...state, isZoomed: false };
  if (state.pane !== "apps") return { ...state, pane: "apps" };
  if (state.filter !== "") return { ...state, filter: "" };
  return undefined;
}

export function noteWork(
  state: ConsoleState,
  app: string,
  sentence: string | undefined,
): ConsoleState {
  const { [app]: _before, ...others } = state.works;
  return { ...state, works: sentence === undefined ? others : { ...others, [app]: sentence } };
}

/** The rows in sight of so many, so that the selected one is among them. */
export function visibleFrom(selected: number, count: number, height: number): number {
  return Math.max(0, Math.min(selected - Math.floor(height / 2), count - height));
}
