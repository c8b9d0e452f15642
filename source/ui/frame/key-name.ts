// Names of keys as Ink reports them, so that one table maps keys to commands.

import type { Key } from "ink";

/** A key with a name such as `Enter`, `Ctrl+W` or `Alt+Backspace`, or typed text. */
export type KeyPress =
  | { readonly kind: "key"; readonly name: string }
  | { readonly kind: "text"; readonly text: string };

const specialKeys = [
  ["upArrow", "Up"],
  ["downArrow", "Down"],
  ["leftArrow", "Left"],
  ["rightArrow", "Right"],
  ["pageUp", "PgUp"],
  ["pageDown", "PgDn"],
  ["home", "Home"],
  ["end", "End"],
  ["return", "Enter"],
  ["tab", "Tab"],
  ["backspace", "Backspace"],
  ["delete", "Delete"],
] as const satisfies readonly (readonly [keyof Key, string])[];

/**
 * Interprets an input event of Ink. One event may hold several presses: a slow line delivers
 * `hello` and Enter in one piece.
 *
 * @param isTypedAhead true while nothing can be pasted: each carriage return is an Enter
 */
export function interpretInput(input: string, key: Key, isTypedAhead = false): KeyPress[] {
  if (key.eventType === "release" || key.super || key.hyper) return [];
  // Some terminals report Alt together with Esc, which means nothing else.
  if (key.escape) return [{ kind: "key", name: "Esc" }];
  const special = specialKeys.find(([flag]) => key[flag]);
  if (special !== undefined) {
    return [{ kind: "key", name: modifiers(key, true) + special[1] }];
  }
  if (key.ctrl || key.meta) {
    if (input === "") return [];
    return [{ kind: "key", name: modifiers(key, false) + input.toUpperCase() }];
  }
  return splitInput(input, isTypedAhead);
}

/**
 * Interprets input typed before the program took over the terminal, which turned Enter into a line
 * feed.
 */
export function interpretTypedAhead(text: string): KeyPress[] {
  return splitInput(text.replace(escapeSequence, "").replaceAll("\n", "\r"), true);
}

function modifiers(key: Key, isSpecial: boolean): string {
  const shift = isSpecial && key.shift ? "Shift+" : "";
  return `${key.ctrl ? "Ctrl+" : ""}${key.meta ? "Alt+" : ""}${shift}`;
}

/** Splits a piece of input into text and control characters. */
function splitInput(input: string, isTypedAhead: boolean): KeyPress[] {
  const pieces = input.replaceAll("\r\n", "\r").match(pieceOfInput) ?? [];
  // Line breaks of a paste are carriage returns; a line feed is Ctrl+J, however fast it came.
  const breaks = pieces.filter((piece) => piece === "\r").length;
  const lastText = pieces.findLastIndex((piece) => !isControl(piece));
  return pieces.flatMap((piece, index): KeyPress[] => {
    // A block with several line breaks, or with text behind one or behind a tab, is a paste from a terminal
    // that does not mark them.
    const isKey = isTypedAhead || (breaks <= 1 && index > lastText);
    if (piece === "\r") return named(isKey ? "Enter" : "Ctrl+J");
    if (piece === "\t") return isKey ? named("Tab") : [{ kind: "text", text: piece }];
    if (!isControl(piece)) return [{ kind: "text", text: piece }];
    const code = piece.charCodeAt(0);
    if (code === 0x7f) return named("Backspace");
    return code >= 1 && code <= 26 ? named(`Ctrl+${String.fromCharCode(code + 64)}`) : [];
  });
}

function isControl(piece: string): boolean {
  const code = piece.charCodeAt(0);
  return code < 32 || code === 0x7f;
}

function named(name: string): KeyPress[] {
  return [{ kind: "key", name }];
}

/** Matches arrow keys and other escape sequences. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the subject here
const escapeSequence = /\x1b(?:\[[0-?]*[ -/]*[@-~]|O?.)?/gs;

/** Matches one control character, or a run of anything else. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the subject here
const pieceOfInput = /[\x00-\x1f\x7f]|[^\x00-\x1f\x7f]+/g;
