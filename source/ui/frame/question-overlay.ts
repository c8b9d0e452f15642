// A question over the hints: a line of text, or a yes to something that cannot be undone.

import { createEditorState, type EditorState } from "../editor/editor-state.ts";
import type { KeyPress } from "../keys/key-name.ts";
import { drawBox, innerWidth } from "../panes/box.ts";
import { textRow } from "../panes/styled-row.ts";
import { fieldAfterKey, fieldAfterText, fieldPicture, fieldWith } from "../panes/text-field.ts";
import { neutraliseLine, normaliseLineBreaks } from "../text/neutralise.ts";
import { wrapLine } from "../text/wrap-line.ts";
import type { Glyphs } from "../theme.ts";
import type { Overlay, OverlayPicture } from "./overlay.ts";
import type { BodySize, StyledRow } from "./screen.ts";

interface QuestionOptions<T> {
  readonly question: string;
  readonly glyphs: Glyphs;
  readonly onDone: (value: T) => void;
  readonly onChange: () => void;
}

/** Asks for one line; Esc gives none. */
export class AskOverlay implements Overlay {
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

  picture(size: BodySize): OverlayPicture {
    const { question, glyphs } = this.#options;
    const field = fieldPicture(this.#field, Math.max(1, innerWidth(size.columns) - 2));
    const sentence = questionRows(question, size.columns, glyphs);
    const content: StyledRow[] = [
      ...sentence,
      [{ text: `${glyphs.prompt} `, tone: "key" }, field.span],
    ];
    const picture = atBottom(content, size, glyphs);
    const cursor = { x: 4 + field.cursorX, y: picture.y + 1 + sentence.length };
    return { ...picture, cursor };
  }

  readerLines(): readonly string[] {
    return [`${this.#options.question} ${this.#field.text}`];
  }
}

/** Asks for a yes; everything else is a no. */
export class ConfirmOverlay implements Overlay {
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

  picture(size: BodySize): OverlayPicture {
    const { glyphs } = this.#options;
    const question = questionRows(this.#question, size.columns, glyphs);
    if (this.#isComing) {
      const waiting = textRow(`${glyphs.working} reading what that does${glyphs.ellipsis}`, "dim");
      return atBottom([...question, waiting], size, glyphs);
    }
    const [no, yes] = this.#isYes ? ["  No  ", "[ Yes ]"] : ["[ No ]", "  Yes  "];
    const answers: StyledRow = [
      { text: no, tone: this.#isYes ? "plain" : "selected" },
      { text: "  ", tone: "plain" },
      { text: yes, tone: this.#isYes ? "selected" : "plain" },
    ];
    return atBottom([...question, answers], size, glyphs);
  }

  readerLines(): readonly string[] {
    if (this.#isComing) return [`${this.#question} Reading what that does.`];
    return [`${this.#question} ${this.#isYes ? "Yes" : "No"} is selected; y or n.`];
  }
}

function questionRows(question: string, columns: number, glyphs: Glyphs): StyledRow[] {
  const width = innerWidth(columns);
  return normaliseLineBreaks(question)
    .split("\n")
    .flatMap((line) => wrapLine(neutraliseLine(line, glyphs.isAscii), width))
    .map(({ text }) => textRow(text, "title"));
}

function atBottom(
  content: readonly StyledRow[],
  size: BodySize,
  glyphs: Glyphs,
): Omit<OverlayPicture, "cursor"> {
  const height = Math.min(size.rows, content.length + 2);
  // The end is what is answered: of a question that is too long the beginning goes.
  const shown = content.slice(Math.max(0, content.length - (height - 2)));
  const rows = drawBox(shown, { width: size.columns, height, glyphs, isFocused: true });
  return { rows, x: 0, y: size.rows - height };
}
