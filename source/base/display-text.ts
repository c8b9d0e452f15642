// Makes text safe for display: invisible characters, quotes, control characters.

const invisible = /[\s\p{Cc}\p{Cf}]/u;

/** Takes one UTF-16 unit; halves of a surrogate pair count as visible. */
export function isInvisible(unit: string): boolean {
  return invisible.test(unit);
}

/** Trims invisible characters at both ends, such as a pasted no-break space. */
export function trimInvisible(text: string): string {
  let start = 0;
  while (start < text.length && isInvisible(text.charAt(start))) start += 1;
  return text.slice(start, endOfVisible(text, start, text.length));
}

/** Returns the offset after the last visible character between two offsets; `start` if none. */
export function endOfVisible(text: string, start: number, end: number): number {
  let last = end;
  while (last > start && isInvisible(text.charAt(last - 1))) last -= 1;
  return last;
}

/**
 * Quotes a text for use in a sentence: double quotes, cut when long, control and format characters
 * escaped.
 */
export function quoteShort(text: string, length = 40): string {
  const characters = Array.from(text.slice(0, length * 2));
  const isLong = characters.length > length || text.length > length * 2;
  const shown = isLong ? `${characters.slice(0, length).join("")}…` : text;
  return JSON.stringify(shown).replace(
    /[\p{Cc}\p{Cf}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}

/** Puts a text on one line: control characters become spaces. */
export function toOneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, " ");
}

/** Characters that control a terminal or reorder the text on screen. */
const controls = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** Escapes terminal controls in a text of several lines; line breaks and tabs stay. */
export function showControls(text: string): string {
  return text.replace(controls, (character) =>
    character === "\n" || character === "\t"
      ? character
      : `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}

/** Returns a model's name without its default tag: `tiny` for `tiny:latest`. */
export function shownModel(name: string): string {
  return name.replace(/:latest$/i, "");
}
