// Reads a quoted value of a Modelfile: `"…"` or `"""…"""`, over one line or several.
import { endOfVisible, isInvisible } from "../../base/display-text.ts";
import { storeErrors } from "../errors.ts";
import { hasKey, toCommandName } from "./command-names.ts";
import { endOfLine, type ModelfileText } from "./modelfile-text.ts";

/**
 * The quotes that close a value are the first that are last on their line. Quotes before others on
 * a line are text, there are no escapes: `"say "hi""` is `say "hi"`.
 *
 * A value that would swallow a following command is refused: one whose last line is a command with
 * quotes of its own (the closing quotes were forgotten), and one with text after what look like
 * closing quotes, and then a line that is a command (`SYSTEM "a" b` with more lines below).
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
    // Quotes come in pairs, also those within a text: after an even number it looks closed.
    if (countQuotes(line, quotes) % 2 === 1) isOpen = !isOpen;
    if (!isOpen) strayAt ??= findTextAfterQuotes(line, quotes, lineAt);
    if (lineEnd === text.length) throw openError(source, { openAt, strayAt, command });
    // Between a CR and its LF this is one more line, an empty one.
    lineAt = lineEnd + 1;
  }
}

function countQuotes(text: string, quotes: string): number {
  return text.split(quotes).length - 1;
}

/** The quotes at its end belong to those at its beginning, not to a value that opened before. */
function isQuotedWhole(text: string, quotes: string): boolean {
  const isPaired = quotes === '"""' || countQuotes(text, quotes) % 2 === 0;
  return text.startsWith(quotes) && isPaired;
}

/**
 * The command that a line within a value would be. Prose also begins with "from" or "system":
 * names count in capitals, and in small letters where the open command was in small letters.
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

/** The offset of the first text after the last quotes of a line that holds some. */
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
