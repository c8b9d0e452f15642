// Appearance of the screen: glyphs with and without Unicode, and colours by meaning.

/** Symbols with a meaning; each comes with a word, so that nothing depends on a glyph. */
export type Glyphs = Readonly<typeof unicodeGlyphs>;

export const unicodeGlyphs = {
  /** True when only ASCII may be drawn. */
  isAscii: false,
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

export const asciiGlyphs: Glyphs = {
  isAscii: true,
  working: "~",
  ready: "*",
  stopped: "-",
  failed: "x",
  warning: "!",
  below: "v",
  prompt: ">",
  separator: "|",
  ellipsis: "...",
  queued: ".",
  idle: "o",
  done: "+",
  marker: ">",
  arrow: "->",
  box: {
    topLeft: "+",
    topRight: "+",
    bottomLeft: "+",
    bottomRight: "+",
    horizontal: "-",
    vertical: "|",
  },
  spark: [".", ":", "-", "=", "+", "*", "%", "#"],
  bar: { filled: "#", high: "%", critical: "!", empty: "." },
  slotBusy: "#",
  slotFree: ".",
};

/**
 * Selects the glyph set by the first of LC_ALL, LC_CTYPE and LANG that is not empty, as POSIX does;
 * with none of them the locale is "C". Windows and macOS have no such rule and draw Unicode.
 */
export function selectGlyphs(
  environment: Readonly<Record<string, string | undefined>>,
  platform: string,
): Glyphs {
  const locale = environment.LC_ALL || environment.LC_CTYPE || environment.LANG;
  if (!locale) return platform === "win32" || platform === "darwin" ? unicodeGlyphs : asciiGlyphs;
  return /utf-?8/i.test(locale) ? unicodeGlyphs : asciiGlyphs;
}

/** Replaces the Unicode signs of a text, such as the server's label, if only ASCII may be drawn. */
export function withGlyphs(text: string, glyphs: Glyphs): string {
  if (!glyphs.isAscii) return text;
  return text
    .replaceAll("●", "*")
    .replaceAll("◐", "~")
    .replaceAll("○", "o")
    .replaceAll("✗", "x")
    .replaceAll("·", "|")
    .replaceAll("…", "...");
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
