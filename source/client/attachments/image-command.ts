// Parses `/image PATH QUESTION`. It runs before anything else is done with a line: no part of it
// may ever reach the model as plain text.

/** One way to tell the path from the question. */
export interface ImageCommandReading {
  /** Without quotes. */
  readonly path: string;
  readonly question: string;
}

const command = /^\s*\/image(?=\s|$)\s*/i;

/** The text behind `/image`, or undefined for any other line. */
export function imageArgument(line: string): string | undefined {
  const match = command.exec(line);
  return match === null ? undefined : line.slice(match[0].length).trimEnd();
}

/**
 * Where the path ends cannot always be told from the text: every word may be its last. A quoted path
 * has one reading. The longest path comes first; the last reading is the one to speak of when there
 * is no such file.
 */
export function readImageCommand(argument: string): ImageCommandReading[] {
  const text = argument.replace(/^@/, "");
  const quote = text.charAt(0);
  if (quote === '"' || quote === "'" || quote === "`") {
    const close = text.indexOf(quote, 1);
    if (close > 1) {
      return [{ path: text.slice(1, close), question: text.slice(close + 1).trim() }];
    }
  }
  const readings: ImageCommandReading[] = [];
  for (const match of text.matchAll(/(?<!\\)(?=\s)|$/g)) {
    const path = text.slice(0, match.index);
    // Between two blanks nothing ends.
    if (path === "" || /\s$/.test(path)) continue;
    readings.unshift({ path, question: text.slice(match.index).trim() });
  }
  return readings;
}
