// Reads a quoted value of a Modelfile: `"…"` or `"""…"""`, over one line or several.
import { endOfVisible, isInvisible } from "../../base/display-text.ts";
import { storeErrors } from "../errors.ts";
import { hasKey, toCommandName } from "./command-names.ts";
import { endOfLine, type ModelfileText } from "./modelfile-text.ts";

/**
 * The first quotes at the end of a line close a value. Other quotes are text, and there are no
 * escapes: `"say "hi""` is `say "hi"`.
 *
 * Refuses a value that would swallow a following command: its last line is a command with its own
 * quotes (closing quotes were forgotten), or text follows apparent closing quotes and a later line
 * is a command (`SYSTEM "a" b` with more lines below).
 *
 * @param openAt offset of the opening quotes
 * @param command as written
 * @returns the text between the quotes, its offset, and the offset after the closing line
 * @throws ProductError `STORE_MODELFILE_QUOTE_OPEN`, `STORE_MODELFILE_TEXT_AFTER_QUOTE`
 */
export function readQuotedValue(
  source: ModelfileText,
  openAt: number,
  command: string,
): { value: string; contentAt: number; end: number } {
  const { text } = source;
  const quotes = text.startsWith('"""', openAt) ? '"""' : '"';
  const contentAt = openAt + quotes.length;
  let isOpen = true;
  let strayAt: number | undefined;
  for (let lineAt = contentAt; ; ) {
    const lineEnd = endOfLine(text, lineAt);
    const line = text.slice(lineAt, lineEnd);
    const closeAt = endOfVisible(text, lineAt, lineEnd) - quotes.length;
    const isClosing = closeAt >= lineAt && text.startsWith(quotes, closeAt);
    const own = lineAt === contentAt ? undefined : findCommand(line, command);
    if (own && (!isOpen || (isClosing && isQuotedWhole(own.rest, quotes)))) {
      throw openError(source, { openAt, strayAt, command, swallowedAt: lineAt });
    }
    if (isClosing) return { value: text.slice(contentAt, closeAt), contentAt, end: lineEnd };
    // Quotes usually come in pairs: after an even number, the value looks closed.
    if (countQuotes(line, quotes) % 2 === 1) isOpen = !isOpen;
    if (!isOpen) strayAt ??= findTextAfterQuotes(line, quotes, lineAt);
    if (lineEnd === text.length) throw openError(source, { openAt, strayAt, command });
    // Counts an empty line between a CR and its LF.
    lineAt = lineEnd + 1;
  }
}

function countQuotes(text: string, quotes: string): number {
  return text.split(quotes).length - 1;
}

/** Returns true if the quotes at the end match those at the beginning, not an earlier value's. */
function isQuotedWhole(text: string, quotes: string): boolean {
  const isPaired = quotes === '"""' || countQuotes(text, quotes) % 2 === 0;
  return text.startsWith(quotes) && isPaired;
}

/**
 * Returns the command that a line within a value would be. Prose may begin with "from" or "system":
 * a name counts in capitals, or in lower case if the open command was in lower case.
 */
function findCommand(line: string, openCommand: string): { rest: string } | undefined {
  const word = /^[ \t]*([A-Za-z]+)[ \t]/.exec(line);
  const written = word?.[1] ?? "";
  const name = toCommandName(written);
  if (word === null || name === undefined) return undefined;
  const isCapital = written === name;
  const isSmall = written === name.toLowerCase() && openCommand === openCommand.toLowerCase();
  if (!isCapital && !isSmall) return undefined;
  const rest = line.slice(word[0].length).trimStart();
  return { rest: hasKey(name) ? rest.replace(/^[^ \t]*[ \t]*/, "") : rest };
}

/** Returns the offset of the first text after the last quotes of a line. */
function findTextAfterQuotes(line: string, quotes: string, lineAt: number): number {
  let at = line.lastIndexOf(quotes) + quotes.length;
  while (at < line.length && isInvisible(line.charAt(at))) at += 1;
  return lineAt + at;
}

function openError(
  source: ModelfileText,
  place: {
    openAt: number;
    strayAt: number | undefined;
    command: string;
    swallowedAt?: number;
  },
) {
  const name = place.command.toUpperCase();
  const reach =
    place.swallowedAt === undefined
      ? "the value would run to the end of the file"
      : `the value would include the command on line ${source.positionAt(place.swallowedAt).line}`;
  if (place.strayAt === undefined) {
    return source.error(storeErrors.modelfileQuoteOpen, place.openAt, {
      message: `the quotes that open the value of ${name} here are never closed: ${reach}.`,
      hint: "Closing quotes must match the opening ones and end their line.",
    });
  }
  return source.error(storeErrors.modelfileTextAfterQuote, place.strayAt, {
    message: `text follows quotes in the value of ${name} that opens at ${source.describe(place.openAt)}: ${reach}.`,
    hint: 'Quotes close a value only as the last thing on their line: remove what follows them, or put the whole value between """ and """.',
  });
}
