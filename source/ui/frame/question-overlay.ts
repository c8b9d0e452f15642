// Questions over a screen: for a line, for a longer text, for a confirmation.

import { Store } from "../../base/store.ts";
import type { CommandFacts } from "../../chat/commands/command.ts";
import { reduceEditor } from "../editor/editor-reducer.ts";
import { createEditorState, type EditorAction, type EditorState } from "../editor/editor-state.ts";
import { fieldWith } from "../editor/line-field.ts";
import { type CommandRow, commandRow, screenInput } from "./command-table.ts";
import type { Screen } from "./screen.ts";

/** An open question: its state, and the keys and text that it takes like a screen. */
export interface OpenQuestion<State>
  extends Pick<Screen, "commands" | "isTyping" | "type" | "paste" | "subscribe"> {
  readonly get: () => State;
  readonly cancel: () => void;
}

export interface QuestionContext<State, Answer = string | undefined> {
  readonly store: Store<State>;
  readonly done: (answer: Answer) => void;
}

export const cancelKeys: readonly string[] = ["Esc", "Ctrl+C"];

/** Connects a question with a text field, which takes all other keys. */
export function fieldQuestion<
  State extends { readonly field: EditorState },
  Context extends QuestionContext<State>,
>(
  rows: readonly CommandRow<Context>[],
  context: Context,
  show: (field: EditorState) => void,
): OpenQuestion<State> {
  const { store, done } = context;
  const edit = (change: (field: EditorState) => EditorState) => show(change(store.get().field));
  return {
    get: store.get,
    subscribe: store.subscribe,
    cancel: () => done(undefined),
    ...screenInput(rows, context, { isTyping: () => true, edit }),
  };
}

/** Returns the problem with an answer, or undefined. */
export type CheckAnswer = (text: string) => string | undefined;

export interface AskState {
  readonly kind: "ask";
  readonly question: string;
  readonly field: EditorState;
  /** Why the answer was refused; undefined once it changes. */
  readonly problem: string | undefined;
}

interface AskContext extends QuestionContext<AskState> {
  readonly check: CheckAnswer;
}

const ask = commandRow<AskContext>("ask", "Questions");

const askCommands: readonly CommandRow<AskContext>[] = [
  ask("confirm", ["Enter"], "Confirm the answer, which is checked first", {
    hint: "confirm",
    run: ({ store, check, done }): undefined => {
      const { text } = store.get().field;
      const problem = check(text);
      if (problem === undefined) done(text);
      else store.update({ problem });
    },
  }),
  ask("cancel", cancelKeys, "Cancel", { hint: "cancel", run: ({ done }) => void done(undefined) }),
];

/** Asks for one line. @param initial a suggestion, selected: typing replaces it */
export function askQuestion(
  done: AskContext["done"],
  question: string,
  initial: string,
  check: CheckAnswer,
): OpenQuestion<AskState> {
  const given = fieldWith(createEditorState(), initial);
  const field = initial === "" ? given : reduceEditor(given, { type: "select" });
  const store = new Store<AskState>({ kind: "ask", question, field, problem: undefined });
  const show = (next: EditorState) => store.update({ field: next, problem: undefined });
  return fieldQuestion(askCommands, { store, check, done }, show);
}

export interface ConfirmState {
  readonly kind: "confirm";
  readonly question: string;
  /** True while the end of the question loads; Yes is disabled until then. */
  readonly isComing: boolean;
  /** True if Enter means yes. */
  readonly isYes: boolean;
}

type ConfirmContext = QuestionContext<ConfirmState, boolean | Error>;

const confirm = commandRow<ConfirmContext>("confirm", "Questions");
const isComplete = ({ store }: ConfirmContext) => !store.get().isComing;

const confirmCommands: readonly CommandRow<ConfirmContext>[] = [
  confirm("yes", ["y", "Y"], "Yes", {
    hint: "yes",
    when: isComplete,
    run: ({ done }) => void done(true),
  }),
  confirm("no", ["n", "N"], "No", {
    hint: (context) => (isComplete(context) ? "no" : undefined),
    run: ({ done }) => void done(false),
  }),
  confirm("confirm", ["Enter"], "Confirm the selected answer", {
    hint: "confirm",
    when: isComplete,
    run: ({ store, done }) => void done(store.get().isYes),
  }),
  confirm("cancel", cancelKeys, "Cancel", { hint: "cancel", run: ({ done }) => void done(false) }),
  confirm("switch", ["Left", "Right", "Tab"], "Select the other answer", {
    when: isComplete,
    run: ({ store }) => void store.update({ isYes: !store.get().isYes }),
  }),
];

/**
 * Asks for a yes.
 *
 * @param rest end of the question, if it takes a while; its error becomes the answer
 */
export function confirmQuestion(
  done: ConfirmContext["done"],
  question: string,
  rest: Promise<string> | undefined,
): OpenQuestion<ConfirmState> {
  const isComing = rest !== undefined;
  const store = new Store<ConfirmState>({ kind: "confirm", question, isComing, isYes: false });
  rest?.then(
    (text) => store.update({ question: `${question} ${text}`, isComing: false }),
    (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
  );
  return {
    get: store.get,
    subscribe: store.subscribe,
    cancel: () => done(false),
    // It has no field, and ignores pastes.
    ...screenInput(confirmCommands, { store, done }, { isTyping: () => false, edit: () => {} }),
  };
}

/** Borders, the prompt sign, and a blank beside each. */
const cellsBesideText = 6;

/** Returns the cells that the text wraps at in a window of so many columns. */
export function writeWidth(columns: number): number {
  return Math.max(1, columns - cellsBesideText);
}

export interface WriteState {
  readonly kind: "write";
  readonly question: string;
  readonly field: EditorState;
}

export interface WriteOptions {
  readonly question: string;
  readonly initial: string;
  /** Cells that the text wraps at now. */
  readonly width: () => number;
  /** Opens the text in $EDITOR; never rejects. @returns undefined when nothing changed */
  readonly edit: (text: string) => Promise<string | undefined>;
}

interface WriteContext extends QuestionContext<WriteState>, WriteOptions {}

const write = commandRow<WriteContext>("write", "Multi-line fields");

/** Keys besides those of one-line fields. */
const writeKeys: readonly CommandRow<WriteContext>[] = [
  write("newline", ["Ctrl+J", "Alt+Enter", "Shift+Enter"], "Insert a line break", {
    hint: "newline",
    run: (context) => apply(context, { type: "newline" }),
  }),
  write("external", ["Ctrl+G"], "Edit the text in $EDITOR", { hint: "editor", run: editText }),
];

/** For the documentation. */
export const writeCommandFacts: readonly CommandFacts[] = writeKeys;

const writeCommands: readonly CommandRow<WriteContext>[] = [
  write("confirm", ["Enter"], "Confirm the text", {
    hint: "confirm",
    run: ({ store, done }) => void done(store.get().field.text),
  }),
  ...writeKeys,
  write("cancel", cancelKeys, "Cancel", {
    hint: "cancel",
    run: ({ done }) => void done(undefined),
  }),
  write("rowUp", ["Up"], "Row up", { run: (context) => moveRow(context, -1) }),
  write("rowDown", ["Down"], "Row down", { run: (context) => moveRow(context, 1) }),
];

/** Asks for a text of several lines. */
export function writeQuestion(
  done: WriteContext["done"],
  options: WriteOptions,
): OpenQuestion<WriteState> {
  const field = fieldWith(createEditorState(), options.initial);
  const store = new Store<WriteState>({ kind: "write", question: options.question, field });
  const context: WriteContext = { ...options, store, done };
  // Unlike a line, it takes line breaks.
  const type = (text: string) => apply(context, { type: "insert", text });
  const show = (next: EditorState) => store.update({ field: next });
  return { ...fieldQuestion(writeCommands, context, show), type, paste: type };
}

function apply({ store }: WriteContext, action: EditorAction): undefined {
  store.update({ field: reduceEditor(store.get().field, action) });
}

function moveRow(context: WriteContext, direction: -1 | 1): undefined {
  apply(context, { type: "moveRow", direction, width: context.width() });
}

async function editText({ store, edit }: WriteContext): Promise<undefined> {
  const saved = await edit(store.get().field.text);
  // Editors end a file with a line break.
  const text = saved?.replace(/\r?\n$/, "");
  if (text !== undefined) store.update({ field: fieldWith(store.get().field, text) });
}
