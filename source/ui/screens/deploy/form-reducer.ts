// Reducers of the form: focus, answers and faults.

import { createEditorState, type EditorState } from "../../editor/editor-state.ts";
import { fieldWith } from "../../editor/line-field.ts";
import { type GivenValues, newVariable, variablePrefix } from "./answers.ts";
import type { DeployState, StepId } from "./deploy-state.ts";
import { faultsIn, type Item } from "./form.ts";
import { presets, settings } from "./settings.ts";
import { focusedItem, pageOf } from "./steps.ts";

/** Moves the focus to a field of the step; stops at the ends. */
export function withFocus(state: DeployState, focus: number): DeployState {
  const { items } = pageOf(state);
  const index = Math.max(0, Math.min(items.length - 1, focus));
  const editor = fieldWith(createEditorState(), textOf(items[index]));
  return { ...state, focus: index, editor, scroll: 0 };
}

function textOf(item: Item | undefined): string {
  return item?.kind === "text" ? item.value : "";
}

/** Opens a step; the answers stay. */
export function openStep(state: DeployState, step: StepId): DeployState {
  const opened = { ...state, step, faults: {}, paths: [], scroll: 0 };
  const typed = pageOf(opened).items.findIndex(({ kind }) => kind === "text");
  // Focuses the script's path; elsewhere the first field.
  return withFocus(opened, step === "script" ? typed : 0);
}

/** Moves between fields, or within the only choice of a step. */
export function moveFocus(state: DeployState, distance: -1 | 1): DeployState {
  const { items, lines } = pageOf(state);
  if (items.length === 1 && items[0]?.kind === "choice") return choose(state, distance);
  if (items.length > 0) return withFocus(leaveField(state), state.focus + distance);
  return { ...state, scroll: Math.max(0, Math.min(lines.length * 3, state.scroll + distance)) };
}

/** Selects the next or previous option; stops at the ends. */
export function choose(state: DeployState, distance: -1 | 1): DeployState {
  const item = focusedItem(state);
  if (item?.kind !== "choice") return state;
  const { id, options } = item;
  const at = options.findIndex(({ value }) => value === item.value) + distance;
  const { value = item.value } = options[Math.max(0, Math.min(options.length - 1, at))] ?? {};
  const given = givenAfterChoice(state.given, id, value);
  const isPublicConfirmed = id !== "auth" && state.isPublicConfirmed;
  // The choice may add, remove or change fields.
  return withFocus({ ...state, given, faults: {}, isPublicConfirmed }, state.focus);
}

function givenAfterChoice(given: GivenValues, id: string, value: string): GivenValues {
  if (id === "mode") return withMode(given, value);
  if (id !== "preset") return { ...given, [id]: value };
  const preset = presets.find((entry) => entry.id === value);
  if (preset !== undefined) return { ...given, ...preset.texts };
  const scaling = settings.filter(({ step }) => step === "scaling").map((setting) => setting.id);
  return Object.fromEntries(Object.entries(given).filter(([name]) => !scaling.includes(name)));
}

/** Clears the suggested name for a one-time run, which gets a free name; a typed one stays. */
export function withMode({ name, ...given }: GivenValues, mode: string): GivenValues {
  if (name && name !== given.suggestedName) return { ...given, name, mode };
  return mode === "run" ? { ...given, name: "", mode } : { ...given, mode };
}

/**
 * Returns the text of the focused field. If a fact, such as a suggested name, changed it since the last
 * edit, the cursor is at its end.
 */
export function focusedField(state: DeployState): EditorState {
  const text = textOf(focusedItem(state));
  return state.editor.text === text ? state.editor : fieldWith(state.editor, text);
}

/** Edits the text of the focused field. */
export function editField(
  state: DeployState,
  edit: (editor: EditorState) => EditorState,
): DeployState {
  const item = focusedItem(state);
  if (item?.kind !== "text") return state;
  const before = focusedField(state);
  const editor = edit(before);
  if (editor.text === before.text) return { ...state, editor };
  const { [item.id]: _fault, "": _step, ...faults } = state.faults;
  const given: Record<string, string> = { ...state.given, [item.id]: editor.text };
  // Another script has different functions.
  if (item.id === "script") delete given.target;
  return { ...state, editor, given, faults, paths: [] };
}

/** Checks the field that loses the focus, and shows its fault below it. Empty fields may be skipped. */
function leaveField(state: DeployState): DeployState {
  const item = focusedItem(state);
  if (item?.kind !== "text" || item.value.trim() === "") return state;
  const { [item.id]: _before, ...others } = state.faults;
  return { ...state, faults: { ...others, ...faultsIn([item]) } };
}

/** Checks every field of the step, then the step as a whole. */
export function checkStep(state: DeployState): DeployState {
  const { items, fault } = pageOf(state);
  const faults = faultsIn(items);
  const first = items.findIndex(({ id }) => faults[id] !== undefined);
  if (first !== -1) return { ...withFocus(state, first), faults };
  return { ...state, faults: fault === undefined ? {} : { "": fault } };
}

/** Turns the text of the new-variable field into its own field. */
export function addVariable(state: DeployState): DeployState {
  const { [newVariable]: text = "", ...given } = state.given;
  const at = text.indexOf("=");
  const added = { ...given, [variablePrefix + text.slice(0, at)]: text.slice(at + 1) };
  const next = { ...state, given: added, faults: {} };
  return withFocus(
    next,
    pageOf(next).items.findIndex(({ id }) => id === newVariable),
  );
}
