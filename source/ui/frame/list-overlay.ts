// State of a list to filter and choose from: palette, help and other choices.

import { createEditorState, type EditorState } from "../editor/editor-state.ts";
import { fieldAfterKey, fieldAfterText, fieldWith } from "../editor/line-field.ts";
import type { KeyPress } from "./key-name.ts";
import type { OverlayEvents, OverlayState } from "./question-overlay.ts";
import { rankItems } from "./rank-items.ts";
import type { ChooseOptions, ListItem } from "./screen.ts";

export interface ListQuestion extends ChooseOptions {
  readonly title: string;
  readonly items: readonly ListItem[];
  /** A word for the action of Enter. */
  readonly verb: string;
  /** Returns the item for the typed text itself; it is shown above the matches. */
  readonly typed?: (text: string) => ListItem | undefined;
  /** Hides items that cannot be chosen until the filter finds them. Defaults to false. */
  readonly hidesDim?: boolean;
  /** Maximum number of visible items. Defaults to as many as fit. */
  readonly rowsMaximum?: number;
  /** A word for closing without a choice. Defaults to "close". */
  readonly cancelVerb?: string;
}

const pageRows = 10;
/** Keys that move the selection, and by how many items. */
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
  /** Values of items that the search found for the typed text. */
  #hits: ReadonlySet<string> = new Set();

  /** @param events receives the value of the chosen item, or undefined */
  constructor(events: OverlayEvents<string | undefined>, question: ListQuestion) {
    this.#events = events;
    this.#question = question;
    this.title = question.title;
    const { items, selected } = question;
    this.selected = Math.max(
      0,
      items.findIndex(({ value }) => value === selected),
    );
  }

  get hints(): readonly (readonly [string, string])[] {
    const { verb, cancelVerb = "close" } = this.#question;
    const hints = [
      ["Esc", cancelVerb],
      ["Enter", verb],
      ["Up/Down", "select"],
      ["PgDn", "scroll"],
    ] as const;
    return this.#completion === undefined ? hints : [...hints, ["Tab", "complete"]];
  }

  get isTable(): boolean {
    return this.#question.isTable ?? false;
  }

  get rowsMaximum(): number {
    return this.#question.rowsMaximum ?? Number.POSITIVE_INFINITY;
  }

  /** Groups are shown until a filter reorders the items. */
  get isGrouped(): boolean {
    return this.field.text === "";
  }

  /** Items that match the filter, best match first. */
  get found(): readonly ListItem[] {
    const { items, typed, hidesDim = false } = this.#question;
    const wanted = this.field.text.trim();
    if (wanted === "") return hidesDim ? items.filter(({ isDim }) => !isDim) : items;
    const ranked = rankItems(items, wanted);
    const hits = items.filter((item) => this.#hits.has(item.value) && !ranked.includes(item));
    const found = [...ranked, ...hits];
    const meant = typed?.(wanted);
    // Without an argument it equals the command that was already found.
    const isFound = found.some(({ value }) => value === meant?.value.trimEnd());
    return meant === undefined || isFound ? found : [meant, ...found];
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

  /** Completion of the selected item, unless it is already typed. */
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
    const isChanged = field.text !== this.field.text;
    this.field = field;
    if (isChanged) {
      this.selected = 0;
      void this.#search(field.text.trim());
    }
    this.#events.onChange();
  }

  /** A failed search leaves only matches by name. */
  async #search(typed: string): Promise<void> {
    this.#hits = new Set();
    const { search } = this.#question;
    if (search === undefined || typed === "") return;
    const values = await search(typed).catch(() => []);
    // The filter has changed meanwhile.
    if (this.field.text.trim() !== typed) return;
    this.#hits = new Set(values);
    this.#events.onChange();
  }
}
