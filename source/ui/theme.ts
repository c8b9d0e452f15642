// Appearance of the screen: symbols, their replacements in ASCII, and colours by meaning.

/** Symbols with a meaning; each comes with a word, so that nothing depends on a glyph. */
export const glyphs = {
  working: "◐",
  ready: "●",
  stopped: "⊘",
  failed: "✗",
  warning: "!",
  below: "↓",
  prompt: ">",
  separator: "·",
  ellipsis: "…",
  queued: "◌",
  idle: "○",
  done: "✓",
  /** In front of the selected row. */
  marker: ">",
  arrow: "→",
  box: {
    topLeft: "╭",
    topRight: "╮",
    bottomLeft: "╰",
    bottomRight: "╯",
    horizontal: "─",
    vertical: "│",
  },
  /** Eight heights, the lowest first. */
  spark: ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"],
  /** Filled cells of a bar: below 80 %, from 80 %, from 95 %; and empty cells. */
  bar: { filled: "█", high: "▓", critical: "!", empty: "░" },
  slotBusy: "■",
  slotFree: "□",
};

/** One ASCII character for each symbol that the screens draw, so that no width changes. */
const asciiOf: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ["◐●○◌⊘✗✓↓→…·•°", "~*o.-x+v>~|- "],
    ["╭╮╰╯┌└─│┼▎▌▾▸", "++++++-|+||v>"],
    ["▁▂▃▄▅▆▇█▓░■□", ".:-=+*%#%.#."],
  ].flatMap(([symbols = "", plain = ""]) =>
    Array.from(symbols).map((symbol, index) => [symbol, plain.charAt(index)]),
  ),
);
const symbols = new RegExp(`[${Object.keys(asciiOf).join("")}]`, "g");

/** Replaces the symbols of a text, such as a frame, for a terminal that draws only ASCII. */
export function toAscii(text: string): string {
  return text.replace(symbols, (symbol) => asciiOf[symbol] ?? symbol);
}

/**
 * True if the terminal may draw only ASCII, by the first of LC_ALL, LC_CTYPE and LANG that is not empty,
 * as POSIX does; with none of them the locale is "C". Windows and macOS have no such rule and draw Unicode.
 */
export function isAsciiLocale(
  environment: Readonly<Record<string, string | undefined>>,
  platform: string,
): boolean {
  const locale = environment.LC_ALL || environment.LC_CTYPE || environment.LANG;
  return locale ? !/utf-?8/i.test(locale) : platform !== "win32" && platform !== "darwin";
}

/**
 * How much of the terminal the program takes. `window`: all of it. `inline`: a part of the normal
 * buffer below earlier output; finished messages become plain text above it. `reader`: lines for
 * screen readers.
 */
export type Layout = "window" | "inline" | "reader";

/** The meaning of a run of text; a theme styles each. */
export type Tone =
  | "plain"
  | "you"
  | "assistant"
  | "code"
  | "title"
  | "dim"
  | "mark"
  | "warning"
  | "error"
  | "key"
  | "tab"
  | "selected"
  | "border"
  | "focus"
  | "value"
  // Markdown and highlighted code.
  | "heading"
  | "strong"
  | "emphasis"
  | "struck"
  | "link"
  | "quote"
  | "keyword"
  | "string"
  | "number"
  | "comment"
  | "name"
  | "type";
