// Finds possible image paths in a prompt. As paths may contain blanks, every word may begin one: each
// such reading is returned, and existing files decide.

/** One way to read a mention. */
export interface PathReading {
  /** The text to remove from the prompt, including quotes and an at sign. */
  readonly start: number;
  readonly end: number;
  /** The path as typed, without them. */
  readonly typed: string;
  /** True in quotes or after an at sign: certainly meant as a file. */
  readonly isMarked: boolean;
}

/** A mention and its readings, longest first. */
export interface PathMention {
  readonly readings: readonly PathReading[];
  /** Path to report if no file exists. */
  readonly plain: PathReading;
}

/** Matches the end of an image's file name. */
const imageEnding =
  /\.(?:png|jpe?g|webp|gif|bmp|tiff?|avif|hei[cf])(?![\p{L}\p{N}_/\\-]|\.[\p{L}\p{N}])/giu;
const quotes = "\"'`";
const address = /^[a-z][a-z0-9+.-]+:\/\//i;
/** Characters that may precede a path. */
const opening = /[\s"'`([{<=,;:|@]/;
const longestPath = 1024;
const maxWords = 16;

/** Returns mentions in the order of the text, without web addresses. */
export function findMentions(text: string): PathMention[] {
  const mentions: PathMention[] = [];
  for (const match of text.matchAll(imageEnding)) {
    // An ending without a name, as in "a .png file".
    if (match.index === 0 || /[\s"'`(]/.test(text.charAt(match.index - 1))) continue;
    const mention = readMention(text, match.index + match[0].length);
    if (mention !== undefined) mentions.push(mention);
  }
  return mentions;
}

function readMention(text: string, end: number): PathMention | undefined {
  const from = Math.max(0, text.lastIndexOf("\n", end - 1) + 1, end - longestPath);
  const quoted = readQuoted(text, from, end);
  const readings: PathReading[] = [];
  let plain: PathReading | undefined;
  let words = 0;
  for (let start = end - 2; start >= from && words < maxWords; start -= 1) {
    const before = start === 0 ? " " : text.charAt(start - 1);
    if (!opening.test(before) || /\s/.test(text.charAt(start))) continue;
    const typed = text.slice(start, end);
    const isMarked = before === "@";
    const reading = { start: isMarked ? start - 1 : start, end, typed, isMarked };
    readings.unshift(reading);
    const isEscaped = text.charAt(start - 2) === "\\" && before === " ";
    if (!isEscaped && /[\s@]/.test(before)) {
      plain ??= reading;
      words += 1;
    }
  }
  const named = quoted ?? plain ?? readings.at(-1);
  if (named === undefined) return undefined;
  if (address.test(named.typed) && !/^file:/i.test(named.typed)) return undefined;
  return { readings: quoted === undefined ? readings : [quoted, ...readings], plain: named };
}

/** Returns the quoted text that ends here; undefined without a closing quote. */
function readQuoted(text: string, from: number, end: number): PathReading | undefined {
  const quote = text.charAt(end);
  if (quote === "" || !quotes.includes(quote)) return undefined;
  const open = text.lastIndexOf(quote, end - 1);
  if (open < from) return undefined;
  const isAt = text.charAt(open - 1) === "@";
  const typed = text.slice(open + 1, end);
  return { start: isAt ? open - 1 : open, end: end + 1, typed, isMarked: true };
}
