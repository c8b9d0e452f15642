// What the screen looks like: glyphs with and without Unicode, and colours by meaning.

/** Signs that carry meaning; every one stands beside a word, so that nothing hangs on a glyph. */
export interface Glyphs {
  /** True when only ASCII may be drawn. */
  readonly isAscii: boolean;
  readonly working: string;
  readonly ready: string;
  readonly stopped: string;
  readonly failed: string;
  readonly warning: string;
  readonly below: string;
  readonly prompt: string;
  readonly separator: string;
  readonly ellipsis: string;
}

export const unicodeGlyphs: Glyphs = {
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

/** The meaning of a row of text. */
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

/** One row of the screen: at most as wide as its place, without control characters. */
export interface Row {
  readonly text: string;
  readonly tone: Tone;
}

/** Properties of Ink's `Text` that a tone sets. */
export interface ToneStyle {
  readonly color?: string;
  readonly bold?: boolean;
  readonly dimColor?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
  readonly strikethrough?: boolean;
}

/** Blue and yellow are told apart by nearly everybody; red never stands without its glyph. */
export const toneStyles: Readonly<Record<Tone, ToneStyle>> = {
  plain: {},
  you: { color: "blueBright", bold: true },
  assistant: { color: "yellow", bold: true },
  code: { color: "cyan" },
  title: { bold: true },
  dim: { dimColor: true },
  mark: { color: "yellow" },
  warning: { color: "yellow", bold: true },
  error: { color: "red", bold: true },
  heading: { color: "blueBright", bold: true },
  strong: { bold: true },
  emphasis: { italic: true },
  struck: { strikethrough: true, dimColor: true },
  link: { color: "blueBright", underline: true },
  quote: { italic: true, dimColor: true },
  keyword: { color: "blueBright" },
  string: { color: "green" },
  number: { color: "magenta" },
  comment: { dimColor: true, italic: true },
  name: { color: "yellow" },
  type: { color: "cyan" },
};
