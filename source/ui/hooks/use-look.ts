// Glyphs and styles by meaning, for every component.

import { createContext, use } from "react";
import type { Theme } from "../frame/themes.ts";
import type { Glyphs } from "../theme.ts";

export interface Look {
  readonly glyphs: Glyphs;
  /** Props of Ink's `Text` for each tone: `<Text {...theme.dim}>`. */
  readonly theme: Theme;
}

export const LookContext = createContext<Look | undefined>(undefined);

/** @throws outside a `LookContext` */
export function useLook(): Look {
  const look = use(LookContext);
  if (look === undefined) throw new Error("useLook needs a LookContext around it");
  return look;
}
