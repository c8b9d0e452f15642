// The state of a list to filter and choose from: palette, help and every other choice.

import fuzzysort from "fuzzysort";
import { createEditorState, type EditorState } from "../editor/editor-state.ts";
import { fieldAfterKey, fieldAfterText, fieldWith } from "../editor/line-field.ts";
import type { KeyPress } from "../keys/key-name.ts";
import type { OverlayEvents, OverlayState } from "./overlay.ts";
import type { ListItem } from "./screen.ts";

export interface ListQuestion {
  readonly title: string;
  readonly items: readonly ListItem[];
  /** What Enter does, in a word. */
  readonly verb: string;
  /** What the typed letters mean as they are; it stands above what they find. */
  readonly typed?: (text: string) => ListItem | undefined;
  /** What leaving without a choice does, in a word. Defaults to "close". */
  readonly cancelVerb?: string;
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
  readonly title: string;
  field: EditorState = createEditorState();
  /** Index in `found`. */
  selected = 0;
  readonly #events: OverlayEvents<string | undefined>;
  readonly #question: ListQuestion;

  /** @param events answers with the value of the chosen item; undefined when nothing was chosen */
  constructor(events: OverlayEvents<string | undefined>, question: ListQuestion) {
    this.#events = events;
    this.#question = question;
    this.title = question.title;
  }

  get hints(): readonly (readonly [string, string])[] {
    const { verb, cancelVerb = "close" } = this.#question;
    const hints = [
      ["Esc", cancelVerb],
      ["Enter", verb],
      ["Up/Down", "select"],
      ["PgDn", "scroll"],
    ] as const;
    return this.#completion === undefined ? hints : [...hints, ["Tab", "add words"]];
  }

  /** Items stand in groups until a filter puts them in another order. */
  get isGrouped(): boolean {
    return this.field.text === "";
  }

  /** The items that match what is typed, the best first. */
  get found(): readonly ListItem[] {
    const { items, typed } = this.#question;
    const wanted = this.field.text.trim();
    if (wanted === "") return items;
    // Without this threshold "qw3" would not find "Qwen3"; without this limit, ten are all.
    const found = fuzzysort
      .go(wanted, items, { keys: ["title", "note"], threshold: 0, limit: 0 })
      .map(({ obj }) => obj);
    const meant = typed?.(wanted);
    return meant === undefined ? found : [meant, ...found];
  }

  press(press: KeyPress): void {
    if (press.kind === "text") {
      this.paste(press.text);
      return;
    }
    const { name } = press;
    const step = steps[name];
    if (name === "Esc" || name === "Ctrl+C") this.cancel();
    else if (name === "Enter") this.#take();
    else if (name === "Tab" && this.#completion !== undefined) {
      this.#setField(fieldWith(this.field, this.#completion));
    } else if (step !== undefined) this.#move(step);
    else this.#setField(fieldAfterKey(this.field, name) ?? this.field);
  }

  paste(text: string): void {
    this.#setField(fieldAfterText(this.field, text));
  }

  cancel(): void {
    this.#events.onDone(undefined);
  }

  /** Of the selected item, unless it is typed already. */
  get #completion(): string | undefined {
    const { completion } = this.found[this.selected] ?? {};
    return completion === undefined || this.field.text.startsWith(completion)
      ? undefined
      : completion;
  }

  #take(): void {
    const item = this.found[this.selected];
    if (item !== undefined && !item.isDim) this.#events.onDone(item.value);
  }

  #move(delta: number): void {
    const last = Math.max(0, this.found.length - 1);
    this.selected = Math.min(last, Math.max(0, this.selected + delta));
    this.#events.onChange();
  }

  #setField(field: EditorState): void {
    if (field.text !== this.field.text) this.selected = 0;
    this.field = field;
    this.#events.onChange();
  }
}
