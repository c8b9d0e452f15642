// The state of a question for a text of several lines.

import { reduceEditor } from "../editor/editor-reducer.ts";
import { createEditorState, type EditorAction, type EditorState } from "../editor/editor-state.ts";
import { fieldAfterKey, fieldWith } from "../editor/line-field.ts";
import type { KeyPress } from "../keys/key-name.ts";
import type { OverlayEvents, OverlayState } from "./overlay.ts";
import type { CommandFacts } from "./screen.ts";

/** Border and blank on both sides, and the sign in front of the text with its blank. */
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

/** Asks for a text; Esc gives none. */
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
