// Themes: the style of each tone in colour, by brightness alone, or with high contrast.

import type { ForegroundColorName } from "chalk";
import type { Tone } from "../theme.ts";

export interface ToneStyle {
  /** Colour of the terminal's own sixteen, which fit any background. */
  readonly color?: ForegroundColorName;
  readonly bold?: boolean;
  readonly dimColor?: boolean;
  readonly inverse?: boolean;
  readonly underline?: boolean;
  readonly italic?: boolean;
  readonly strikethrough?: boolean;
}

export type Theme = Readonly<Record<Tone, ToneStyle>>;

/** Nearly everybody can tell blue and yellow apart; red always comes with a glyph. */
const defaultTheme: Theme = {
  plain: {},
  you: { color: "blueBright", bold: true },
  assistant: { color: "yellow", bold: true },
  code: { color: "cyan" },
  title: { bold: true },
  dim: { dimColor: true },
  mark: { color: "yellow" },
  warning: { color: "yellow", bold: true },
  error: { color: "red", bold: true },
  key: { bold: true },
  tab: { bold: true, inverse: true },
  selected: { bold: true, color: "blueBright" },
  border: { dimColor: true },
  focus: { color: "blueBright" },
  value: { bold: true },
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

/** Uses weight, not colour. */
const mono: Theme = {
  ...mapTones(defaultTheme, ({ color: _, ...style }) => style),
  mark: { bold: true },
  error: { bold: true, underline: true },
  selected: { inverse: true },
  focus: { bold: true },
};

/** Uses no dim text; important text is bright. */
const highContrast: Theme = {
  ...mapTones(defaultTheme, ({ dimColor: _, ...style }) => style),
  you: { color: "cyanBright", bold: true },
  assistant: { color: "yellowBright", bold: true },
  code: { color: "cyanBright" },
  mark: { color: "yellowBright", bold: true },
  warning: { color: "yellowBright", bold: true, underline: true },
  error: { color: "redBright", bold: true, underline: true },
  selected: { inverse: true, bold: true },
  focus: { color: "yellowBright", bold: true },
};

export const themes = {
  default: defaultTheme,
  mono,
  "high-contrast": highContrast,
} as const satisfies Readonly<Record<string, Theme>>;

export type ThemeName = keyof typeof themes;

export const themeNames = Object.keys(themes) as readonly ThemeName[];

/** Applies `change` to each tone of a theme. */
function mapTones<Name extends Tone>(
  theme: Readonly<Record<Name, ToneStyle>>,
  change: (style: ToneStyle) => ToneStyle,
): Record<Name, ToneStyle> {
  const changed: Record<Name, ToneStyle> = { ...theme };
  for (const tone in theme) changed[tone] = change(theme[tone]);
  return changed;
}
