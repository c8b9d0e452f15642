// Visible characters of a text: blanks, control and format characters are not.

const unseen = /[\s\p{Cc}\p{Cf}]/u;

/** Tells of one UTF-16 unit; halves of a surrogate pair count as seen. */
export function isUnseen(unit: string): boolean {
  return unseen.test(unit);
}

/** Without what cannot be seen at either end, such as a no-break space that was pasted along. */
export function trimUnseen(text: string): string {
  let start = 0;
  while (start < text.length && isUnseen(text.charAt(start))) start += 1;
  return text.slice(start, endOfSeen(text, start, text.length));
}

/** The offset after the last character that can be seen between two offsets; `start` if none. */
export function endOfSeen(text: string, start: number, end: number): number {
  let last = end;
  while (last > start && isUnseen(text.charAt(last - 1))) last -= 1;
  return last;
}

/**
 * A text within a sentence: in double quotes, cut where it is long, and with escapes for what a
 * terminal would obey or not show.
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

/** A text as one line that a terminal does not obey: control characters become blanks. */
export function toOneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, " ");
}

/** Matches characters that a terminal would obey, or that reorder the text on screen. */
const obeyed = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** A text of several lines that a terminal shows and does not obey. */
export function showControls(text: string): string {
  return text.replace(obeyed, (character) =>
    character === "\n" || character === "\t"
      ? character
      : `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}
