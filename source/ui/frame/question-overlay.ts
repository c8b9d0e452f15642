// The state of a question over the hints: a line of text, or a yes to something that cannot be undone.

import { reduceEditor } from "../editor/editor-reducer.ts";
import { createEditorState, type EditorState } from "../editor/editor-state.ts";
import { fieldAfterKey, fieldAfterText, fieldWith } from "../editor/line-field.ts";
import type { KeyPress } from "../keys/key-name.ts";
import type { OverlayEvents, OverlayState } from "./overlay.ts";

/** Says what is wrong with an answer; undefined for a good one. */
export type CheckAnswer = (text: string) => string | undefined;

/** Asks for one line; Esc gives none. */
export class AskOverlay implements OverlayState {
  readonly kind = "ask";
  readonly hints = [
    ["Enter", "confirm"],
    ["Esc", "cancel"],
  ] as const;
  readonly question: string;
  /** A suggestion is selected: what is typed takes its place. */
  field: EditorState;
  /** Says why the answer was not taken, until it changes. */
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

/** Asks for a yes; everything else is a no. */
export class ConfirmOverlay implements OverlayState {
  readonly kind = "confirm";
  question: string;
  /** A part of the question is still to come: who has not read it cannot say yes. */
  isComing: boolean;
  /** Enter means yes. */
  isYes = false;
  readonly #events: OverlayEvents<boolean | Error>;

  /** @param rest of the question, where that takes a while; its error is the answer */
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
    // Of letters that came together, such as a whole word, the first one counts.
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

  /** A paste answers nothing. */
  paste(): void {}

  cancel(): void {
    this.#events.onDone(false);
  }
}
