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
}

export interface Option {
  readonly value: string;
  readonly title: string;
  readonly note: string;
}

export interface ChoiceItem {
  readonly kind: "choice";
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly options: readonly Option[];
}

export type Item = TextItem | ChoiceItem;

/** Glyphs that stand in front of a line. */
type Sign = "done" | "working" | "failed" | "stopped" | "warning";

/** A line of text, wrapped where it is longer than its place. */
export interface Line {
  readonly text: string;
  readonly tone: Tone;
  readonly sign?: Sign;
  /** Label behind the sign, with its padding: further rows of the line are indented by as much. */
  readonly label?: string;
}

/** A step as it is shown: its question, its fields, and the lines below them. */
export interface Page {
  readonly question: string;
  readonly items: readonly Item[];
  /** Below the fields. */
  readonly lines: readonly Line[];
  /** Log lines for the end of the page: the last ones that fit are shown. */
  readonly log?: readonly string[];
}

export function line(text: string, tone: Tone = "plain", label = ""): Line {
  return { text, tone, label };
}

export const blank: Line = { text: "", tone: "plain" };

export function warningLine(text: string): Line {
  return { text, tone: "warning", sign: "warning" };
}

/** A label with a text beside it. */
export function fact(label: string, text: string): Line {
  return line(text, "plain", label.padEnd(factLabelWidth));
}

export const factLabelWidth = 10;

/** Sign and label as they stand in front of the line. */
export function leadOf({ sign, label = "" }: Line, glyphs: Glyphs): string {
  return sign === undefined ? label : `${glyphs[sign]} ${label}`;
}

/** The option so many places away; the ends stay where they are. */
export function optionBeside({ options, value }: ChoiceItem, distance: number): string {
  const at = options.findIndex((option) => option.value === value);
  const index = Math.max(0, Math.min(options.length - 1, at + distance));
  return options[index]?.value ?? value;
}

/** A secret as as many asterisks. */
export function hidden(text: string): string {
  return "*".repeat(text.length);
}
