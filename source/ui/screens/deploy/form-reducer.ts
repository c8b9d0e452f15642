// Changes of the form: the focus moves, answers change, faults come and go.

import { createEditorState, type EditorState } from "../../editor/editor-state.ts";
import { fieldWith } from "../../editor/line-field.ts";
import { isEphemeral, namesIn, variablePrefix } from "./answers.ts";
import { nameFaultOf, namesake } from "./app-pages.ts";
import { baseOf, type DeployState, loadedValue, type PageContext } from "./deploy-state.ts";
import { type Item, optionBeside } from "./form.ts";
import { focusedItem, pageOf } from "./pages.ts";
import { presets, settings } from "./settings.ts";
import { configFault, newVariable, secretsFault, variableFault } from "./settings-pages.ts";
import { type StepId, stepBeside } from "./steps.ts";

/** Moves the focus to a field of the step; the ends stay where they are. */
export function withFocus(state: DeployState, focus: number, context: PageContext): DeployState {
  const { items } = pageOf(state, context);
  const index = Math.max(0, Math.min(items.length - 1, focus));
  const item = items[index];
  const text = item?.kind === "text" ? item.value : "";
  return { ...state, focus: index, editor: fieldWith(createEditorState(), text), scroll: 0 };
}

/** Opens a step; the answers stay. */
export function openStep(state: DeployState, step: StepId, context: PageContext): DeployState {
  const opened = { ...state, step, faults: {}, paths: [], scroll: 0 };
  const { items } = pageOf(opened, context);
  const isChoiceFirst = items[0]?.kind === "choice";
  const typed = items.findIndex(({ kind }) => kind === "text");
  // A script's path is what one comes for; elsewhere the choice comes first.
  return withFocus(opened, step === "script" && isChoiceFirst ? Math.max(0, typed) : 0, context);
}

export function backStep(state: DeployState, context: PageContext): DeployState {
  const before = stepBeside(state.step, -1, isEphemeral(state.given));
  return before === undefined ? state : openStep(leaveField(state, context), before, context);
}

/** Up and down: between fields; within the only choice of a step. */
export function moveFocus(state: DeployState, distance: -1 | 1, context: PageContext): DeployState {
  const { items, lines } = pageOf(state, context);
  const [only] = items;
  if (items.length === 1 && only?.kind === "choice") return choose(state, distance, context);
  if (items.length === 0) {
    const scroll = Math.max(0, Math.min(lines.length * 3, state.scroll + distance));
    return { ...state, scroll };
  }
  return withFocus(leaveField(state, context), state.focus + distance, context);
}

/** Another option of the choice that has the keys. */
export function choose(state: DeployState, distance: -1 | 1, context: PageContext): DeployState {
  const item = focusedItem(state, context);
  if (item?.kind !== "choice") return state;
  const value = optionBeside(item, distance);
  const chosen = { ...state, given: givenAfterChoice(state, item.id, value), faults: {} };
  // Fields may have come or gone, and have other values.
  return withFocus(
    { ...chosen, ...(item.id === "auth" && { isPublicConfirmed: false }) },
    state.focus,
    context,
  );
}

function givenAfterChoice({ given }: DeployState, id: string, value: string) {
  if (id === "mode") return givenAfterMode(given, value);
  if (id !== "preset") return { ...given, [id]: value };
  const preset = presets.find((entry) => entry.id === value);
  if (preset !== undefined) return { ...given, ...preset.texts };
  const scaling = new Set(settings.filter(({ step }) => step === "scaling").map((s) => s.id));
  return Object.fromEntries(Object.entries(given).filter(([name]) => !scaling.has(name)));
}

/** An app that is run once gets a name drawn; one that stays is called as its script. */
export function givenAfterMode({ name, ...given }: DeployState["given"], mode: string) {
  const isOwn = name !== undefined && name !== "" && name !== given.suggestedName;
  if (isOwn) return { ...given, name, mode };
  return mode === "run" ? { ...given, name: "", mode } : { ...given, mode };
}

/**
 * The text of the field that has the keys. What was read may have changed it since it was edited, such as a
 * suggested name: then the cursor is behind it.
 */
export function focusedField(state: DeployState, context: PageContext): EditorState {
  const item = focusedItem(state, context);
  const text = item?.kind === "text" ? item.value : "";
  return state.editor.text === text ? state.editor : fieldWith(state.editor, text);
}

/** Changes the text of the field that has the keys. */
export function editField(
  state: DeployState,
  edit: (editor: EditorState) => EditorState,
  context: PageContext,
): DeployState {
  const item = focusedItem(state, context);
  if (item?.kind !== "text") return state;
  const before = focusedField(state, context);
  const editor = edit(before);
  if (editor.text === before.text) return { ...state, editor };
  const { [item.id]: _fault, "": _step, ...faults } = state.faults;
  const given = givenAfterText(state.given, item.id, editor.text);
  return { ...state, editor, given, faults, paths: [] };
}

function givenAfterText({ target, ...given }: DeployState["given"], id: string, text: string) {
  const changed = { ...given, [id]: text };
  // Another script has other functions.
  return target === undefined || id === "script" ? changed : { ...changed, target };
}

/** Checks the field that is left: its fault stands below it from now on. */
export function leaveField(state: DeployState, context: PageContext): DeployState {
  const item = focusedItem(state, context);
  if (item?.kind !== "text") return state;
  const { [item.id]: _before, ...others } = state.faults;
  const fault = faultOf(state, item, context);
  return { ...state, faults: fault === undefined ? others : { ...others, [item.id]: fault } };
}

/** Faults of the fields of the step, by their names. */
export function faultsOf(state: DeployState, context: PageContext): DeployState["faults"] {
  const found = pageOf(state, context).items.flatMap((item) => {
    const fault = faultOf(state, item, context);
    return fault === undefined ? [] : [[item.id, fault] as const];
  });
  return Object.fromEntries(found);
}

/** Checks every field of the step, then the step as a whole. */
export function checkStep(state: DeployState, context: PageContext): DeployState {
  const faults = faultsOf(state, context);
  const { items } = pageOf(state, context);
  const first = items.findIndex(({ id }) => faults[id] !== undefined);
  if (first !== -1) return { ...withFocus(state, first, context), faults };
  const fault = stepFault(state, context);
  return { ...state, faults: fault === undefined ? {} : { "": fault } };
}

function faultOf(state: DeployState, item: Item, { rules }: PageContext): string | undefined {
  if (item.kind === "choice") return undefined;
  const { id, value } = item;
  if (id === "script") return value.trim() === "" ? "Type the path of a Python script." : undefined;
  if (id === "file") return fileFault(value);
  if (id === "name") return nameFaultOf(state, rules) ?? takenFault(state);
  if (id === newVariable) return variableFault(value);
  if (id === "secretNames") return secretsFault(state, value);
  if (id.startsWith(variablePrefix)) {
    const isStored = namesIn(state.given.secretNames).includes(id.slice(variablePrefix.length));
    return item.note?.includes("needed") && value === "" && !isStored
      ? "The script does not start without it."
      : undefined;
  }
  const setting = settings.find((entry) => entry.id === id);
  // An empty field is as the script says.
  return value.trim() === "" ? undefined : setting?.fault(value.trim());
}

function fileFault(value: string): string | undefined {
  return /[^/]\.py$/.test(value.trim()) ? undefined : "Use a path that ends in .py.";
}

function takenFault(state: DeployState): string | undefined {
  const existing = isEphemeral(state.given) ? namesake(state) : undefined;
  return existing && `${existing.app} exists: what is run once needs a name of its own.`;
}

/** The fault of a step whose fields are right. */
function stepFault(state: DeployState, { rules }: PageContext): string | undefined {
  const { step, known, given } = state;
  if (step === "script" && given.source === "model") {
    return loadedValue(known.models)?.length ? undefined : "There is no model to deploy yet.";
  }
  if (step === "found") {
    // Why is on the step itself.
    if (known.script.kind === "failed") return "Nothing can be deployed like this.";
    return baseOf(state) === undefined ? "The script is still being read." : undefined;
  }
  if (step === "where")
    return loadedValue(known.targets) ? undefined : "Servers are still looked for.";
  if (step === "resources" || step === "scaling" || step === "timeouts") {
    return baseOf(state) === undefined
      ? "The script is still being read."
      : configFault(state, rules);
  }
  if (step === "preflight") {
    if (known.checked.kind === "failed") return "Nothing can be launched like this.";
    return known.checked.kind === "loaded" ? undefined : "The checks still run.";
  }
  return undefined;
}

/** Makes the variable in the field for new ones a field of its own. */
export function addVariable(state: DeployState, context: PageContext): DeployState {
  const text = state.given[newVariable] ?? "";
  const at = text.indexOf("=");
  const { [newVariable]: _typed, ...given } = state.given;
  const added = { ...given, [variablePrefix + text.slice(0, at)]: text.slice(at + 1) };
  const next = { ...state, given: added, faults: {} };
  const items = pageOf(next, context).items;
  return withFocus(
    next,
    items.findIndex(({ id }) => id === newVariable),
    context,
  );
}
