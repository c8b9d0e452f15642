// A step as a form: its fields, and the lines below them.

import type { Glyphs, Tone } from "../../theme.ts";

export interface TextItem {
  readonly kind: "text";
  readonly id: string;
  readonly label: string;
  /** The text as it is now: typed, else the usual one. */
  readonly value: string;
  /** Makes the text to show, of the same length for the cursor's sake; undefined: the text itself. */
  readonly mask?: (text: string) => string;
  /** Shown in place of nothing. */
  readonly placeholder?: string;
  readonly note?: string;
  /** @returns why a text is refused */
  readonly fault?: (text: string) => string | undefined;
}

export interface ChoiceItem {
  readonly kind: "choice";
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly options: readonly Option[];
}

export interface Option {
  readonly value: string;
  readonly title: string;
  readonly note: string;
}

export type Item = TextItem | ChoiceItem;

export function textItem(
  id: string,
  label: string,
  value = "",
  rest: Partial<TextItem> = {},
): TextItem {
  return { kind: "text", id, label, value, ...rest };
}

export function choiceItem(
  id: string,
  label: string,
  value: string,
  options: readonly (readonly [value: string, title: string, note?: string])[],
): ChoiceItem {
  const named = options.map(([value, title, note = ""]) => ({ value, title, note }));
  return { kind: "choice", id, label, value, options: named };
}

/** Faults of fields by their names. */
export function faultsIn(items: readonly Item[]): Readonly<Record<string, string>> {
  const found = items.flatMap((item) => {
    const fault = item.kind === "text" ? item.fault?.(item.value) : undefined;
    return fault === undefined ? [] : [[item.id, fault]];
  });
  return Object.fromEntries(found);
}

/** A line of text, wrapped where it is longer than its place. */
export interface Line {
  readonly text: string;
  readonly tone: Tone;
  /** Glyph in front of the line. */
  readonly sign?: "done" | "working" | "failed" | "stopped" | "warning";
  /** Label behind the sign, with its padding: further rows of the line are indented by as much. */
  readonly label?: string;
}

/** A step as it is shown: its question, its fields, and the lines below them. */
export interface Page {
  readonly question: string;
  readonly items: readonly Item[];
  readonly lines: readonly Line[];
  /** Keeps the step from being left, though every field is right. */
  readonly fault?: string | undefined;
  /** Log lines for the end of the page: the last ones that fit are shown. */
  readonly log?: readonly string[];
}

export function line(text: string, tone: Tone = "plain", label = ""): Line {
  return { text, tone, label };
}

export const blank = line("");

export function warningLine(text: string): Line {
  return { text, tone: "warning", sign: "warning" };
}

export function errorLine(text: string): Line {
  return { text, tone: "error", sign: "failed" };
}

export function workingLine(text: string, label = ""): Line {
  return { text, tone: "plain", sign: "working", label };
}

/** A label with a text beside it. */
export function fact(label: string, text: string, tone: Tone = "plain"): Line {
  return line(text, tone, label.padEnd(10));
}

/** Sign and label as they stand in front of the line. */
export function linePrefix({ sign, label = "" }: Line, glyphs: Glyphs): string {
  return sign === undefined ? label : `${glyphs[sign]} ${label}`;
}

/** A secret as as many asterisks. */
export function hidden(text: string): string {
  return "*".repeat(text.length);
}
