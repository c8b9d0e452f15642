// States of the questions over a screen: for a line, for a longer text, for a confirmation.

import { reduceEditor } from "../editor/editor-reducer.ts";
import { createEditorState, type EditorAction, type EditorState } from "../editor/editor-state.ts";
import { fieldAfterKey, fieldAfterText, fieldWith } from "../editor/line-field.ts";
import type { KeyPress } from "./key-name.ts";
import type { CommandFacts } from "./screen.ts";

/** An overlay takes all keys while it is open. */
export interface OverlayState {
  press(press: KeyPress): void;
  paste(text: string): void;
  /** Keys and words for the row of hints. */
  readonly hints: readonly (readonly [key: string, word: string])[];
  /** Cancels the question, since the program ends. */
  cancel(): void;
}

/** Callbacks to the opener of an overlay. */
export interface OverlayEvents<Answer> {
  readonly onChange: () => void;
  readonly onDone: (answer: Answer) => void;
}

/** Returns the problem with an answer, or undefined. */
export type CheckAnswer = (text: string) => string | undefined;

/** Asks for one line; Esc cancels. */
export class AskOverlay implements OverlayState {
  readonly kind = "ask";
  readonly hints = [
    ["Enter", "confirm"],
    ["Esc", "cancel"],
  ] as const;
  readonly question: string;
  /** The suggestion is selected: typing replaces it. */
  field: EditorState;
  /** Why the answer was refused; undefined once it changes. */
  problem: string | undefined;
  readonly #events: OverlayEvents<string | undefined>;
  readonly #check: CheckAnswer;

  constructor(
    events: OverlayEvents<string | undefined>,
    question: string,
    initial: string,
    check: CheckAnswer,
  ) {
    this.#events = events;
    this.question = question;
    const suggested = fieldWith(createEditorState(), initial);
    this.field = initial === "" ? suggested : reduceEditor(suggested, { type: "select" });
    this.#check = check;
  }

  press(press: KeyPress): void {
    const { onDone, onChange } = this.#events;
    const key = press.kind === "key" ? press.name : undefined;
    if (key === "Enter") {
      this.problem = this.#check(this.field.text);
      if (this.problem === undefined) onDone(this.field.text);
      else onChange();
    } else if (key === "Esc" || key === "Ctrl+C") onDone(undefined);
    else {
      this.field =
        press.kind === "text"
          ? fieldAfterText(this.field, press.text)
          : (fieldAfterKey(this.field, press.name) ?? this.field);
      this.problem = undefined;
      onChange();
    }
  }

  paste(text: string): void {
    this.press({ kind: "text", text });
  }

  cancel(): void {
    this.#events.onDone(undefined);
  }
}

/** Asks for a yes; every other key means no. */
export class ConfirmOverlay implements OverlayState {
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

  get hints(): readonly (readonly [string, string])[] {
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
  /** Opens the text in $EDITOR. @returns undefined when nothing changed */
  readonly edit: (text: string) => Promise<string | undefined>;
}

/** Returns the cells that the text wraps at in a window of so many columns. */
export function writeWidth(columns: number): number {
  return Math.max(1, columns - cellsBesideText);
}

/** Asks for a text of several lines; Esc cancels. */
export class WriteOverlay implements OverlayState {
  readonly kind = "write";
  readonly hints = [
    ["Enter", "confirm"],
    ["Ctrl+J", "newline"],
    ["Ctrl+G", "editor"],
    ["Esc", "cancel"],
  ] as const;
  field: EditorState;
  readonly #events: OverlayEvents<string | undefined>;
  readonly #question: WriteQuestion;

  constructor(events: OverlayEvents<string | undefined>, question: WriteQuestion) {
    this.#events = events;
    this.#question = question;
    this.field = fieldWith(createEditorState(), question.initial);
  }

  get question(): string {
    return this.#question.question;
  }

  press(press: KeyPress): void {
    const name = press.kind === "key" ? press.name : "";
    if (press.kind === "text") this.paste(press.text);
    else if (name === "Enter") this.#events.onDone(this.field.text);
    else if (name === "Esc" || name === "Ctrl+C") this.cancel();
    else if (editorKeys.includes(name)) void this.#edit();
    else if (newlineKeys.includes(name)) this.#apply({ type: "newline" });
    else if (name === "Up" || name === "Down") this.#moveRow(name === "Up" ? -1 : 1);
    else this.#show(fieldAfterKey(this.field, name) ?? this.field);
  }

  paste(text: string): void {
    this.#apply({ type: "insert", text });
  }

  cancel(): void {
    this.#events.onDone(undefined);
  }

  #moveRow(direction: -1 | 1): void {
    this.#apply({ type: "moveRow", direction, width: this.#question.width() });
  }

  async #edit(): Promise<void> {
    const saved = await this.#question.edit(this.field.text);
    // Editors end a file with a line break.
    if (saved !== undefined) this.#show(fieldWith(this.field, saved.replace(/\r?\n$/, "")));
  }

  #apply(action: EditorAction): void {
    this.#show(reduceEditor(this.field, action));
  }

  #show(field: EditorState): void {
    this.field = field;
    this.#events.onChange();
  }
}
