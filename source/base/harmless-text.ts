// Makes text that came from a model, a server or the clipboard harmless for the terminal.

import { splitGraphemes } from "./graphemes.ts";

/** C0 controls except tab and line feed, DEL, C1 controls. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the subject here
const controls = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

/**
 * Marks that reorder or embed text directions, by which an answer could rearrange its row. The plain
 * left-to-right and right-to-left marks are kept: they only shift neighbours.
 */
const directionOverrides = /[\u202a-\u202e\u2066-\u2069]/g;

/** Converts all line breaks to one kind, for text that enters the screen or the editor. */
export function normaliseLineBreaks(text: string): string {
  return text.replace(/\r\n?|\u2028|\u2029/g, "\n");
}

/**
 * Prepares a line for display: control characters become visible in caret notation, as `less` shows them,
 * so that escape sequences are shown instead of executed. Tabs are kept for wrapping to expand.
 */
export function harmlessLine(line: string): string {
  return line.toWellFormed().replace(directionOverrides, "").replace(controls, caretNotation);
}

/** Prepares several lines for display, with one kind of line break. */
export function harmlessText(text: string): string {
  return harmlessLine(normaliseLineBreaks(text));
}

/** Prepares text for the editor: drops control characters. */
export function harmlessInput(text: string): string {
  return normaliseLineBreaks(text)
    .toWellFormed()
    .replace(directionOverrides, "")
    .replace(controls, "");
}

/** `^[` for Escape; C1 controls have no caret notation and become `\\x9b`. */
function caretNotation(control: string): string {
  const code = control.charCodeAt(0);
  if (code >= 0x80) return `\\x${code.toString(16)}`;
  return code === 0x7f ? "^?" : `^${String.fromCharCode(code + 0x40)}`;
}

const anyControl = /\p{Cc}/gu;
const ignorable = /\p{Default_Ignorable_Code_Point}/u;
const allIgnorable = /^\p{Default_Ignorable_Code_Point}+$/u;

/**
 * Drops control characters and invisible characters from text to be drawn. A last safeguard: untrusted
 * text went through `harmlessLine`, which makes them visible.
 */
export function drawableText(text: string): string {
  const harmless = text.replaceAll(anyControl, "");
  if (!ignorable.test(harmless)) return harmless;
  return splitGraphemes(harmless)
    .filter((grapheme) => !allIgnorable.test(grapheme))
    .join("");
}
