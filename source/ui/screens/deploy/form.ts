// A step as a form: its fields, what is said beside them, and what keys do to it.

import type { Tone } from "../../theme.ts";

export interface TextItem {
  readonly kind: "text";
  readonly id: string;
  readonly label: string;
  /** As it is now: what was typed, else what is usual. */
  readonly value: string;
  /** How it is shown; undefined: as it is. Of the same length, for the cursor's sake. */
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

/** A line of text, wrapped where it is longer than its place. */
export interface Line {
  readonly text: string;
  readonly tone: Tone;
  /** What stands in front of its first row; the others begin below its end. */
  readonly lead?: string;
}

/** What a step shows and asks. */
export interface Page {
  readonly question: string;
  readonly items: readonly Item[];
  /** Below the fields. */
  readonly lines: readonly Line[];
  /** Shown at the end, in what room is left: the last lines count most. */
  readonly tail?: readonly string[];
}

export function line(text: string, tone: Tone = "plain", lead = ""): Line {
  return { text, tone, lead };
}

export const blank: Line = { text: "", tone: "plain" };

/** The option so many places away; the ends stay where they are. */
export function optionBeside({ options, value }: ChoiceItem, distance: number): string {
  const at = options.findIndex((option) => option.value === value);
  const index = Math.max(0, Math.min(options.length - 1, at + distance));
  return options[index]?.value ?? value;
}

/** A secret in the same number of cells, with nothing of it to be seen. */
export function hidden(text: string): string {
  return "*".repeat(text.length);
}
