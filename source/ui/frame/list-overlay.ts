// The state of a list to filter and choose from: palette, help and every other choice.

import fuzzysort from "fuzzysort";
import { createEditorState, type EditorState } from "../editor/editor-state.ts";
import { fieldAfterKey, fieldAfterText, fieldWith } from "../editor/line-field.ts";
import type { KeyPress } from "../keys/key-name.ts";
import type { OverlayState } from "./overlay.ts";
import type { ListItem } from "./screen.ts";

export interface ListOverlayOptions {
  readonly title: string;
  readonly items: readonly ListItem[];
  /** What Enter does, in a word. */
  readonly verb: string;
  /** What the typed letters mean as they are; it stands above what they find. */
  readonly typed?: (text: string) => ListItem | undefined;
  /** What leaving without a choice does, in a word. Defaults to "close". */
  readonly cancelVerb?: string;
  /** @param value undefined when nothing was chosen */
  readonly onDone: (value: string | undefined) => void;
  readonly onChange: () => void;
}

const pageRows = 10;
/** Keys that move to another item, by how many. */
const steps: Readonly<Record<string, number>> = {
  Up: -1,
  Down: 1,
  Tab: 1,
  PgUp: -pageRows,
  PgDn: pageRows,
};

export class ListOverlay implements OverlayState {
  readonly kind = "list";
  readonly #options: ListOverlayOptions;
  #field: EditorState = createEditorState();
  #selected = 0;

  constructor(options: ListOverlayOptions) {
    this.#options = options;
  }

  get hints(): readonly (readonly [string, string])[] {
    const { verb, cancelVerb = "close" } = this.#options;
    const hints = [
      ["Esc", cancelVerb],
      ["Enter", verb],
      ["Up/Down", "select"],
      ["PgDn", "scroll"],
    ] as const;
    return this.#completion === undefined ? hints : [...hints, ["Tab", "add words"]];
  }

  press(press: KeyPress): void {
    if (press.kind === "text") {
      this.#setField(fieldAfterText(this.#field, press.text));
      return;
    }
    this.#key(press.name);
  }

  paste(text: string): void {
    this.#setField(fieldAfterText(this.#field, text));
  }

  cancel(): void {
    this.#options.onDone(undefined);
  }

  get title(): string {
    return this.#options.title;
  }

  get field(): EditorState {
    return this.#field;
  }

  /** Index in `found`. */
  get selected(): number {
    return this.#selected;
  }

  /** Items stand in groups until a filter puts them in another order. */
  get isGrouped(): boolean {
    return this.#field.text === "";
  }

  #key(name: string): void {
    const step = steps[name];
    if (name === "Esc" || name === "Ctrl+C") this.#options.onDone(undefined);
    else if (name === "Enter") this.#take();
    else if (name === "Tab" && this.#completion !== undefined) {
      this.#setField(fieldWith(this.#field, this.#completion));
    } else if (step !== undefined) this.#move(step);
    else {
      const edited = fieldAfterKey(this.#field, name);
      if (edited !== undefined) this.#setField(edited);
    }
  }

  /** Of the selected item, unless it is typed already. */
  get #completion(): string | undefined {
    const { completion } = this.found[this.#selected] ?? {};
    return completion === undefined || this.#field.text.startsWith(completion)
      ? undefined
      : completion;
  }

  #take(): void {
    const item = this.found[this.#selected];
    if (item !== undefined && !item.isDim) this.#options.onDone(item.value);
  }

  #move(delta: number): void {
    const last = Math.max(0, this.found.length - 1);
    this.#selected = Math.min(last, Math.max(0, this.#selected + delta));
    this.#changed();
  }

  #changed(): void {
    this.#options.onChange();
  }

  #setField(field: EditorState): void {
    if (field.text !== this.#field.text) this.#selected = 0;
    this.#field = field;
    this.#changed();
  }

  /** The items that match what is typed, the best first. */
  get found(): readonly ListItem[] {
    const { items } = this.#options;
    const wanted = this.#field.text.trim();
    if (wanted === "") return items;
    // Without this threshold "qw3" would not find "Qwen3"; without this limit, ten are all.
    const found = fuzzysort
      .go(wanted, items, { keys: ["title", "note"], threshold: 0, limit: 0 })
      .map(({ obj }) => obj);
    const typed = this.#options.typed?.(wanted);
    return typed === undefined ? found : [typed, ...found];
  }
}
