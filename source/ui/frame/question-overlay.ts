// States of the questions over a screen: for a line, for a longer text, for a confirmation.

import type { CommandFacts } from "../../chat/commands/command.ts";
import { reduceEditor } from "../editor/editor-reducer.ts";
import { createEditorState, type EditorAction, type EditorState } from "../editor/editor-state.ts";
import { fieldAfterKey, fieldAfterText, fieldWith } from "../editor/line-field.ts";
import type { Hint } from "./command-lists.ts";
import type { KeyPress } from "./key-name.ts";

/** Callbacks to the opener of an overlay. */
export interface OverlayEvents<Answer> {
  readonly onChange: () => void;
  readonly onDone: (answer: Answer) => void;
}

/** A question with a text field, which takes all keys: Enter confirms, Esc cancels. */
export abstract class FieldOverlay {
  field: EditorState;
  protected readonly events: OverlayEvents<string | undefined>;

  constructor(events: OverlayEvents<string | undefined>, initial = "") {
    this.events = events;
    this.field = fieldWith(createEditorState(), initial);
  }

  /** Answers with the text of the field; an answer with a problem stays to be corrected. */
  protected abstract confirm(): void;

  press(press: KeyPress): void {
    if (press.kind === "text") this.paste(press.text);
    else if (press.name === "Enter") this.confirm();
    else if (press.name === "Esc" || press.name === "Ctrl+C") this.cancel();
    else this.pressKey(press.name);
  }

  paste(text: string): void {
    this.show(fieldAfterText(this.field, text));
  }

  cancel(): void {
    this.events.onDone(undefined);
  }

  protected pressKey(name: string): void {
    this.show(fieldAfterKey(this.field, name) ?? this.field);
  }

  protected show(field: EditorState): void {
    this.field = field;
    this.events.onChange();
  }
}

/** Returns the problem with an answer, or undefined. */
export type CheckAnswer = (text: string) => string | undefined;

/** Asks for one line. */
export class AskOverlay extends FieldOverlay {
  readonly kind = "ask";
  readonly hints: readonly Hint[] = [
    ["Enter", "confirm"],
    ["Esc", "cancel"],
  ];
  readonly question: string;
  /** Why the answer was refused; undefined once it changes. */
  problem: string | undefined;
  readonly #check: CheckAnswer;

  /** @param initial a suggestion, selected: typing replaces it */
  constructor(
    events: OverlayEvents<string | undefined>,
    question: string,
    initial: string,
    check: CheckAnswer,
  ) {
    super(events, initial);
    if (initial !== "") this.field = reduceEditor(this.field, { type: "select" });
    this.question = question;
    this.#check = check;
  }

  protected override confirm(): void {
    const { text } = this.field;
    this.problem = this.#check(text);
    if (this.problem === undefined) this.events.onDone(text);
    else this.events.onChange();
  }

  protected override show(field: EditorState): void {
    this.problem = undefined;
    super.show(field);
  }
}

/** Asks for a yes; every other key means no. */
export class ConfirmOverlay {
  readonly kind = "confirm";
  question: string;
  /** True while the end of the question loads; Yes is disabled until then. */
  isComing: boolean;
  /** True if Enter means yes. */
  isYes = false;
  readonly #events: OverlayEvents<boolean | Error>;

  /** @param rest end of the question, if it takes a while; its error becomes the answer */
  constructor(
    events: OverlayEvents<boolean | Error>,
    question: string,
    rest: Promise<string> | undefined,
  ) {
    this.#events = events;
    this.question = question;
    this.isComing = rest !== undefined;
    rest?.then(
      (text) => {
        this.question = `${question} ${text}`;
        this.isComing = false;
        events.onChange();
      },
      (error: unknown) => events.onDone(error instanceof Error ? error : new Error(String(error))),
    );
  }

  get hints(): readonly Hint[] {
    const cancel = ["Esc", "cancel"] as const;
    return this.isComing ? [cancel] : [["y", "yes"], ["n", "no"], ["Enter", "confirm"], cancel];
  }

  press(press: KeyPress): void {
    const { onDone, onChange } = this.#events;
    // Of several letters that arrive together, only the first counts.
    const key = press.kind === "text" ? press.text.slice(0, 1).toLowerCase() : press.name;
    if (["n", "Esc", "Ctrl+C"].includes(key)) onDone(false);
    else if (this.isComing) return;
    else if (key === "y") onDone(true);
    else if (key === "Enter") onDone(this.isYes);
    else if (["Left", "Right", "Tab"].includes(key)) {
      this.isYes = !this.isYes;
      onChange();
    }
  }

  /** Ignores pastes. */
  paste(): void {}

  cancel(): void {
    this.#events.onDone(false);
  }
}

/** Borders, the prompt sign, and a blank beside each. */
const cellsBesideText = 6;

const newlineKeys = ["Ctrl+J", "Alt+Enter", "Shift+Enter"];
const editorKeys = ["Ctrl+G"];
const group = "Multi-line fields";

/** Keys besides those of one-line fields, for the documentation. */
export const writeCommandFacts: readonly CommandFacts[] = [
  { id: "write.newline", title: "Insert a line break", group, keys: newlineKeys },
  { id: "write.external", title: "Edit the text in $EDITOR", group, keys: editorKeys },
];

export interface WriteQuestion {
  readonly question: string;
  readonly initial: string;
  /** Cells that the text wraps at now. */
  readonly width: () => number;
  /** Opens the text in $EDITOR; never rejects. @returns undefined when nothing changed */
  readonly edit: (text: string) => Promise<string | undefined>;
}

/** Returns the cells that the text wraps at in a window of so many columns. */
export function writeWidth(columns: number): number {
  return Math.max(1, columns - cellsBesideText);
}

/** Asks for a text of several lines. */
export class WriteOverlay extends FieldOverlay {
  readonly kind = "write";
  readonly hints: readonly Hint[] = [
    ["Enter", "confirm"],
    ["Ctrl+J", "newline"],
    ["Ctrl+G", "editor"],
    ["Esc", "cancel"],
  ];
  readonly #question: WriteQuestion;

  constructor(events: OverlayEvents<string | undefined>, question: WriteQuestion) {
    super(events, question.initial);
    this.#question = question;
  }

  get question(): string {
    return this.#question.question;
  }

  override paste(text: string): void {
    this.#apply({ type: "insert", text });
  }

  protected override confirm(): void {
    this.events.onDone(this.field.text);
  }

  protected override pressKey(name: string): void {
    if (editorKeys.includes(name)) void this.#edit();
    else if (newlineKeys.includes(name)) this.#apply({ type: "newline" });
    else if (name === "Up" || name === "Down") {
      const direction = name === "Up" ? -1 : 1;
      this.#apply({ type: "moveRow", direction, width: this.#question.width() });
    } else super.pressKey(name);
  }

  async #edit(): Promise<void> {
    const saved = await this.#question.edit(this.field.text);
    // Editors end a file with a line break.
    if (saved !== undefined) this.show(fieldWith(this.field, saved.replace(/\r?\n$/, "")));
  }

  #apply(action: EditorAction): void {
    this.show(reduceEditor(this.field, action));
  }
}
