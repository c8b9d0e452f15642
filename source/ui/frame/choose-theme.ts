// Which theme a person wants: named, or chosen from a list.

import type { FrameServices } from "./screen.ts";
import { type ThemeName, themeNames } from "./themes.ts";

/**
 * @param name empty: a list is shown
 * @returns the theme, a sentence for a name that is none, or neither where nothing was chosen
 */
export async function chooseTheme(
  name: string,
  frame: Pick<FrameServices, "choose">,
): Promise<{ readonly theme?: ThemeName; readonly sentence?: string }> {
  const choices = themeNames.map((value) => ({ value, title: value }));
  const wanted = name === "" ? await frame.choose("Theme", choices) : name;
  if (wanted === undefined) return {};
  const theme = themeNames.find((candidate) => candidate === wanted);
  if (theme !== undefined) return { theme };
  return { sentence: `There is no theme '${wanted}'. Themes are ${themeNames.join(", ")}` };
}
