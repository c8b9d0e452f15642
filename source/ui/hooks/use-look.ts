// Context of every component: styles by meaning, layout and clock.

import { createContext, use } from "react";
import type { Clock } from "../../base/clock.ts";
import type { Theme } from "../frame/themes.ts";
import type { Layout } from "../theme.ts";

export interface Look {
  /** Props of Ink's `Text` for each tone: `<Text {...theme.dim}>`. */
  readonly theme: Theme;
  readonly layout: Layout;
  /** Time of day for ages on the screen. */
  readonly clock: Clock;
}

export const LookContext = createContext<Look | undefined>(undefined);

/** @throws outside a `LookContext` */
export function useLook(): Look {
  const look = use(LookContext);
  if (look === undefined) throw new Error("useLook needs a LookContext around it");
  return look;
}

/** Returns milliseconds since 1970, read for each drawing. */
export function useNow(): number {
  return useLook().clock.wallMs();
}
