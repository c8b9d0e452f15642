// A list to filter and choose from: palette, help and every other choice.

import fuzzysort from "fuzzysort";
import { createEditorState, type EditorState } from "../editor/editor-state.ts";
import type { KeyPress } from "../keys/key-name.ts";
import { drawBox, innerHeight, innerWidth } from "../panes/box.ts";
import { fitRow, foreignSpan, textRow } from "../panes/styled-row.ts";
import { fieldAfterKey, fieldAfterText, fieldPicture, fieldWith } from "../panes/text-field.ts";
import { textWidth } from "../text/graphemes.ts";
import type { Glyphs } from "../theme.ts";
import type { Overlay, OverlayPicture } from "./overlay.ts";
import type { BodySize, StyledRow } from "./screen.ts";

export interface ListItem {
  readonly value: string;
  readonly title: string;
  /** At the right, such as the keys of a command. */
  readonly note: string;
  /** Items of one group stand together below its name. */
  readonly group?: string;
  /** What Tab puts into the field, for words to be typed behind it. */
  readonly completion?: string;
  /** Shown, but cannot be chosen now. */
  readonly isDim?: boolean;
}

export interface ListOverlayOptions {
  readonly title: string;
  readonly items: readonly ListItem[];
  readonly glyphs: Glyphs;
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

const widthMaximum = 96;
/** The field and the line below it. */
const fieldRows = 2;
const pageRows = 10;
/** Keys that move to another item, by how many. */
const steps: Readonly<Record<string, number>> = {
  Up: -1,
  Down: 1,
  Tab: 1,
  PgUp: -pageRows,
  PgDn: pageRows,
};

type DisplayRow = { readonly group: string } | { readonly index: number };

export class ListOverlay implements Overlay {
  readonly #options: ListOverlayOptions;
  #field: EditorState = createEditorState();
  #selected = 0;
  #top = 0;

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

  picture(size: BodySize): OverlayPicture {
    const { title, glyphs } = this.#options;
    const width = Math.min(size.columns - 2, widthMaximum);
    const found = this.#found();
    const display = displayRows(found, this.#field.text === "");
    const height = Math.min(size.rows, Math.max(5, display.length + fieldRows + 2));
    const inner = innerWidth(width);
    const field = fieldPicture(this.#field, Math.max(1, inner - 2));
    const listRows = Math.max(1, innerHeight(height) - fieldRows);
    const rows = drawBox(
      [
        [{ text: `${glyphs.prompt} `, tone: "key" }, field.span],
        textRow(glyphs.box.horizontal.repeat(inner), "border"),
        ...this.#window(display, listRows).map((row) => this.#row(row, found, inner)),
        ...(found.length === 0 ? [textRow("Nothing matches. Esc closes.", "dim")] : []),
      ],
      { width, height, glyphs, title, isFocused: true, footer: this.#count(found) },
    );
    const x = Math.floor((size.columns - width) / 2);
    return { rows, x, y: 0, cursor: { x: x + 4 + field.cursorX, y: 1 } };
  }

  readerLines(): readonly string[] {
    const found = this.#found();
    const item = found[this.#selected];
    const selected = item === undefined ? "nothing" : `${item.title} ${item.note}`.trim();
    return [
      `${this.#options.title}: ${this.#field.text}`,
      `Selected: ${selected}, ${found.length === 0 ? 0 : this.#selected + 1} of ${found.length}`,
    ];
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
    const { completion } = this.#found()[this.#selected] ?? {};
    return completion === undefined || this.#field.text.startsWith(completion)
      ? undefined
      : completion;
  }

  #take(): void {
    const item = this.#found()[this.#selected];
    if (item !== undefined && !item.isDim) this.#options.onDone(item.value);
  }

  #move(delta: number): void {
    const last = Math.max(0, this.#found().length - 1);
    this.#selected = Math.min(last, Math.max(0, this.#selected + delta));
    this.#options.onChange();
  }

  #setField(field: EditorState): void {
    if (field.text !== this.#field.text) this.#selected = 0;
    this.#field = field;
    this.#options.onChange();
  }

  #found(): readonly ListItem[] {
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

  /** The rows in sight: those around the selected one. */
  #window(display: readonly DisplayRow[], height: number): readonly DisplayRow[] {
    const at = display.findIndex((row) => "index" in row && row.index === this.#selected);
    // With the first item, the group's name above it comes into sight too.
    const first = at === 1 && display[0] !== undefined && "group" in display[0] ? 0 : at;
    if (first < this.#top) this.#top = Math.max(0, first);
    if (at >= this.#top + height) this.#top = at - height + 1;
    this.#top = Math.min(this.#top, Math.max(0, display.length - height));
    return display.slice(this.#top, this.#top + height);
  }

  #row(row: DisplayRow, found: readonly ListItem[], width: number): StyledRow {
    const { glyphs } = this.#options;
    if ("group" in row) return textRow(row.group, "title");
    const item = found[row.index];
    if (item === undefined) return [];
    const isSelected = row.index === this.#selected;
    const tone = item.isDim ? "dim" : isSelected ? "selected" : "plain";
    const title = foreignSpan(item.title, tone, glyphs.isAscii);
    const note = foreignSpan(item.note, isSelected ? tone : "dim", glyphs.isAscii);
    const noteWidth = Math.min(textWidth(note.text), Math.floor(width * 0.6));
    return [
      { text: isSelected ? `${glyphs.marker} ` : "  ", tone: "key" },
      ...fitRow([title], Math.max(1, width - noteWidth - 3), glyphs.ellipsis),
      { text: " ", tone: "plain" },
      ...fitRow([note], noteWidth, glyphs.ellipsis),
    ];
  }

  #count(found: readonly ListItem[]): string {
    return found.length === 0 ? "0" : `${this.#selected + 1} of ${found.length}`;
  }
}

/** With the groups' names in between, unless a filter has put the items in another order. */
function displayRows(items: readonly ListItem[], isGrouped: boolean): readonly DisplayRow[] {
  const rows: DisplayRow[] = [];
  let group: string | undefined;
  for (const [index, item] of items.entries()) {
    if (isGrouped && item.group !== undefined && item.group !== group) {
      group = item.group;
      rows.push({ group });
    }
    rows.push({ index });
  }
  return rows;
}
