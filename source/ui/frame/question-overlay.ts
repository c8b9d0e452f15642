// The state of a question over the hints: a line of text, or a yes to something that cannot be undone.

import { createEditorState, type EditorState } from "../editor/editor-state.ts";
import { fieldAfterKey, fieldAfterText, fieldWith } from "../editor/line-field.ts";
import type { KeyPress } from "../keys/key-name.ts";
import type { OverlayState } from "./overlay.ts";

interface QuestionOptions<T> {
  readonly question: string;
  readonly onDone: (value: T) => void;
  readonly onChange: () => void;
}

/** Asks for one line; Esc gives none. */
export class AskOverlay implements OverlayState {
  readonly kind = "ask";
  readonly hints = [
    ["Enter", "take"],
    ["Esc", "cancel"],
  ] as const;
  readonly #options: QuestionOptions<string | undefined>;
  #field: EditorState;

  constructor(options: QuestionOptions<string | undefined> & { readonly initial: string }) {
    this.#options = options;
    this.#field = fieldWith(createEditorState(), options.initial);
  }

  press(press: KeyPress): void {
    const { onDone, onChange } = this.#options;
    if (press.kind === "text") {
      this.#field = fieldAfterText(this.#field, press.text);
      onChange();
    } else if (press.name === "Enter") {
      onDone(this.#field.text);
    } else if (press.name === "Esc" || press.name === "Ctrl+C") {
      onDone(undefined);
    } else {
      this.#field = fieldAfterKey(this.#field, press.name) ?? this.#field;
      onChange();
    }
  }

  paste(text: string): void {
    this.press({ kind: "text", text });
  }

  cancel(): void {
    this.#options.onDone(undefined);
  }

  get question(): string {
    return this.#options.question;
  }

  get field(): EditorState {
    return this.#field;
  }
}

/** Asks for a yes; everything else is a no. */
export class ConfirmOverlay implements OverlayState {
  readonly kind = "confirm";
  readonly #options: QuestionOptions<boolean | Error>;
  #question: string;
  /** A part of the question is still to come: who has not read it cannot say yes. */
  #isComing: boolean;
  #isYes = false;

  /** @param options with the rest of the question, where that takes a while; its error is the answer */
  constructor(
    options: QuestionOptions<boolean | Error> & { readonly rest: Promise<string> | undefined },
  ) {
    this.#options = options;
    this.#question = options.question;
    this.#isComing = options.rest !== undefined;
    options.rest?.then(
      (rest) => {
        this.#question = `${options.question} ${rest}`;
        this.#isComing = false;
        options.onChange();
      },
      (error: unknown) => options.onDone(error instanceof Error ? error : new Error(String(error))),
    );
  }

  get hints(): readonly (readonly [string, string])[] {
    const cancel = ["Esc", "cancel"] as const;
    if (this.#isComing) return [cancel];
    return [["y", "yes"], ["n", "no"], ["Enter", "take"], cancel];
  }

  press(press: KeyPress): void {
    const { onDone, onChange } = this.#options;
    // Of letters that came together, such as a whole word, the first one counts.
    const key = press.kind === "text" ? press.text.slice(0, 1).toLowerCase() : press.name;
    if (["n", "Esc", "Ctrl+C"].includes(key)) onDone(false);
    else if (this.#isComing) return;
    else if (key === "y") onDone(true);
    else if (key === "Enter") onDone(this.#isYes);
    else if (["Left", "Right", "Tab"].includes(key)) {
      this.#isYes = !this.#isYes;
      onChange();
    }
  }

  /** A paste answers nothing. */
  paste(): void {}

  cancel(): void {
    this.#options.onDone(false);
  }

  get question(): string {
    return this.#question;
  }

  get isComing(): boolean {
    return this.#isComing;
  }

  /** Enter means yes. */
  get isYes(): boolean {
    return this.#isYes;
  }
}
