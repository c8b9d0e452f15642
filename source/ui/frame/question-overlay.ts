// State of a question over the hints: a line of text, or a confirmation.

import { reduceEditor } from "../editor/editor-reducer.ts";
import { createEditorState, type EditorState } from "../editor/editor-state.ts";
import { fieldAfterKey, fieldAfterText, fieldWith } from "../editor/line-field.ts";
import type { KeyPress } from "../keys/key-name.ts";
import type { OverlayEvents, OverlayState } from "./overlay.ts";

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
  /** Says why the answer was refused, until it changes. */
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
  /** Part of the question is still loading; until it is shown, nobody can say yes. */
  isComing: boolean;
  /** Enter means yes. */
  isYes = false;
  readonly #events: OverlayEvents<boolean | Error>;

  /** @param rest of the question, if it takes a while; its error becomes the answer */
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
    // Only the first of several letters that arrived together counts.
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

  /** A paste is no answer. */
  paste(): void {}

  cancel(): void {
    this.#events.onDone(false);
  }
}
