// The layout: how much of the terminal the program takes.

import { createContext, use } from "react";

/**
 * `window`: the whole terminal. `inline`: a part of the normal buffer below earlier output;
 * finished messages become plain text above it. `reader`: lines for screen readers.
 */
export type Layout = "window" | "inline" | "reader";

export const LayoutContext = createContext<Layout>("window");

export function useLayout(): Layout {
  return use(LayoutContext);
}
