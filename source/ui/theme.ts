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
  /** In front of the row that keys act on. */
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
  /** A bar's filled cells: as usual, from 80 % on, from 95 % on; and its empty ones. */
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
 * The glyph set for a process environment. POSIX reads the first of LC_ALL, LC_CTYPE and LANG that
 * is not empty; with none of them the locale is "C". Windows and macOS have no such rule and draw
 * Unicode.
 */
export function selectGlyphs(
  environment: Readonly<Record<string, string | undefined>>,
  platform: string,
): Glyphs {
  const locale = environment.LC_ALL || environment.LC_CTYPE || environment.LANG;
  if (!locale) return platform === "win32" || platform === "darwin" ? unicodeGlyphs : asciiGlyphs;
  return /utf-?8/i.test(locale) ? unicodeGlyphs : asciiGlyphs;
}

/** Writes a text that others made, such as the server's label, with the signs of the glyph set. */
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

/** The meaning of a run of text; a theme says how each looks. */
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
