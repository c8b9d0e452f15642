// State of a list to filter and choose from: palette, help and other choices.

import type { EditorState } from "../editor/editor-state.ts";
import { fieldWith } from "../editor/line-field.ts";
import type { Hint } from "./command-lists.ts";
import { FieldOverlay, type OverlayEvents } from "./question-overlay.ts";
import { rankItems } from "./rank-items.ts";
import type { ChooseOptions, ListAction, ListItem, LiveChoices } from "./screen.ts";

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

export class ListOverlay extends FieldOverlay {
  readonly kind = "list";
  readonly question: ListQuestion;
  /** Index in `found`. */
  selected: number;
  /** Items that the search found for the typed text, with their notes. */
  #hits: ReadonlyMap<string, string | undefined> = new Map();
  #items: readonly ListItem[];
  readonly #unsubscribe: (() => void) | undefined;

  /** @param events receives the value of the chosen item, or undefined */
  constructor(events: OverlayEvents<string | undefined>, question: ListQuestion) {
    super({
      ...events,
      onDone: (answer) => {
        this.#unsubscribe?.();
        events.onDone(answer);
      },
    });
    this.question = question;
    const { items, selected, switches } = question;
    this.#unsubscribe = switches?.subscribe(() => this.#follow(switches));
    this.#items = switches === undefined ? items : itemsOf(switches);
    const wanted =
      switches === undefined ? selected : this.#items.find(({ isDim }) => !isDim)?.value;
    this.selected = Math.max(
      0,
      this.#items.findIndex(({ value }) => value === wanted),
    );
  }

  get title(): string {
    return this.question.switches?.title() ?? this.question.title;
  }

  get hints(): readonly Hint[] {
    const { verb, cancelVerb = "close", action } = this.question;
    const hints: readonly Hint[] = [
      ["Esc", cancelVerb],
      ["Enter", verb],
      ...(action === undefined ? [] : ([[action.key, action.verb]] as const)),
      ["Up/Down", "select"],
      ["PgDn", "scroll"],
    ];
    return this.#completion === undefined ? hints : [...hints, ["Tab", "complete"]];
  }

  /** Groups are shown until a filter reorders the items. */
  get isGrouped(): boolean {
    return this.field.text === "";
  }

  /** Items that match the filter, best match first. */
  get found(): readonly ListItem[] {
    const { typed, hidesDim = false } = this.question;
    const items = this.#items;
    const wanted = this.field.text.trim();
    if (wanted === "") return hidesDim ? items.filter(({ isDim }) => !isDim) : items;
    const ranked = rankItems(items, wanted);
    const hits = items.filter((item) => this.#hits.has(item.value) && !ranked.includes(item));
    const found = [...ranked, ...hits].map((item) => ({
      ...item,
      note: this.#hits.get(item.value) ?? item.note,
    }));
    const meant = typed?.(wanted);
    // Without an argument it equals the command that was already found.
    const isFound = found.some(({ value }) => value === meant?.value.trimEnd());
    return meant === undefined || isFound ? found : [meant, ...found];
  }

  protected override pressKey(name: string): void {
    const step = steps[name];
    if (name === "Tab" && this.#completion !== undefined) {
      this.show(fieldWith(this.field, this.#completion));
    } else if (step !== undefined) this.#move(step);
    else if (name === this.question.action?.key) void this.#act(this.question.action);
    else super.pressKey(name);
  }

  /** Answers with the value of the selected item. */
  protected override confirm(): void {
    const item = this.found[this.selected];
    if (item === undefined || item.isDim) return;
    if (this.question.switches === undefined) this.events.onDone(item.value);
    else this.question.switches.toggle(item.value);
  }

  protected override show(field: EditorState): void {
    if (field.text !== this.field.text) {
      this.selected = 0;
      void this.#search(field.text.trim());
    }
    super.show(field);
  }

  /** Completion of the selected item, unless it is already typed. */
  get #completion(): string | undefined {
    const { completion } = this.found[this.selected] ?? {};
    return completion === undefined || this.field.text.startsWith(completion)
      ? undefined
      : completion;
  }

  #move(delta: number): void {
    const last = Math.max(0, this.found.length - 1);
    this.selected = Math.min(last, Math.max(0, this.selected + delta));
    this.events.onChange();
  }

  /** Shows changed choices; the selected one stays selected. */
  #follow(switches: LiveChoices): void {
    const { value: before } = this.found[this.selected] ?? {};
    this.#items = itemsOf(switches);
    const at = this.found.findIndex(({ value }) => value === before);
    this.selected = at === -1 ? Math.min(this.selected, this.found.length - 1) : at;
    this.events.onChange();
  }

  async #act({ run }: ListAction): Promise<void> {
    const item = this.found[this.selected];
    if (item === undefined || !(await run(item.value))) return;
    this.#items = this.#items.filter(({ value }) => value !== item.value);
    if (this.#items.length === 0) this.cancel();
    else this.#move(0);
  }

  /** A failed search leaves only matches by name. */
  async #search(typed: string): Promise<void> {
    this.#hits = new Map();
    const { search } = this.question;
    if (search === undefined || typed === "") return;
    const hits = await search(typed).catch(() => []);
    // The filter has changed meanwhile.
    if (this.field.text.trim() !== typed) return;
    this.#hits = new Map(hits.map(({ value, note }) => [value, note]));
    this.events.onChange();
  }
}

function itemsOf(switches: LiveChoices): readonly ListItem[] {
  return switches.choices().map((choice) => ({ note: "", ...choice }));
}
