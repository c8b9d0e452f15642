// Ink's `Text` for untrusted text: control characters become visible, and invisible ones are dropped.

import { Text as InkText, type TextProps } from "ink";
import { createElement, type ReactElement, type ReactNode } from "react";
import { drawableText } from "../../base/harmless-text.ts";
import { harmlessRow } from "../text/text-run.ts";

/** Text that is measured before it is drawn is cleaned before: see `fitText`, `cutText` and `wrapText`. */
export function Text({ children, ...props }: TextProps): ReactElement {
  // Children stay arguments, so that React asks for no keys.
  return createElement(InkText, props, ...[children].flat().map(harmless));
}

function harmless(node: ReactNode): ReactNode {
  if (typeof node !== "string") return Array.isArray(node) ? node.map(harmless) : node;
  return node
    .split("\n")
    .map((row) => drawableText(harmlessRow(row)))
    .join("\n");
}
