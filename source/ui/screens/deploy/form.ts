// A step as a form: its fields, and the lines below them.

import { glyphs, type Tone } from "../../theme.ts";

export interface TextItem {
  readonly kind: "text";
  readonly id: string;
  readonly label: string;
  /** The current text: typed, or the default. */
  readonly value: string;
  /** Returns the text to show, of the same length so that the cursor fits. Defaults to the text itself. */
  readonly mask?: (text: string) => string;
  /** Shown while the field is empty. */
  readonly placeholder?: string;
  readonly note?: string;
  /** @returns why a text is invalid */
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

/** Returns the faults of fields by name. */
export function faultsIn(items: readonly Item[]): Readonly<Record<string, string>> {
  const found = items.flatMap((item) => {
    const fault = item.kind === "text" ? item.fault?.(item.value) : undefined;
    return fault === undefined ? [] : [[item.id, fault]];
  });
  return Object.fromEntries(found);
}

/** A line of text, wrapped if it is too long. */
export interface Line {
  readonly text: string;
  readonly tone: Tone;
  /** Glyph in front of the line. */
  readonly sign?: "done" | "working" | "failed" | "stopped" | "warning";
  /** Label behind the sign, with its padding: wrapped rows are indented by its width. */
  readonly label?: string;
}

/** Contents of a step: its question, its fields, and the lines below them. */
export interface Page {
  readonly question: string;
  readonly items: readonly Item[];
  readonly lines: readonly Line[];
  /** Blocks the step even if every field is valid. */
  readonly fault?: string | undefined;
  /** Log lines for the end of the page: the last ones that fit. */
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

/** A label and a text. */
export function fact(label: string, text: string, tone: Tone = "plain"): Line {
  return line(text, tone, label.padEnd(10));
}

/** Returns the sign and label in front of the line. */
export function linePrefix({ sign, label = "" }: Line): string {
  return sign === undefined ? label : `${glyphs[sign]} ${label}`;
}

/** Masks a secret with as many asterisks. */
export function hidden(text: string): string {
  return "*".repeat(text.length);
}
