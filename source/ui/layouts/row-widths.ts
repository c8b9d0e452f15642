// The widths of the rows of a drawn element.

import type { DOMElement } from "ink";
import { textWidth } from "../text/graphemes.ts";

/** Cells from the element's left edge to the end of each of its rows, without blanks at the end. */
export function rowWidths(element: DOMElement): readonly number[] {
  const height = element.yogaNode?.getComputedHeight() ?? 0;
  const widths = Array<number>(height).fill(0);
  for (const child of element.childNodes) widen(widths, child, 0, 0);
  return widths;
}

function widen(widths: number[], node: Node, left: number, top: number): void {
  const { yogaNode } = node;
  if (yogaNode === undefined || node.nodeName === "#text") return;
  const x = left + yogaNode.getComputedLeft();
  const y = top + yogaNode.getComputedTop();
  const width = yogaNode.getComputedWidth();
  const height = yogaNode.getComputedHeight();
  const reach = (row: number, end: number): void => {
    const before = widths[row];
    if (before !== undefined) widths[row] = Math.max(before, end);
  };
  if (node.nodeName === "ink-text") {
    const lines = textOf(node).split("\n");
    for (let row = 0; row < height; row += 1) {
      // Ink has wrapped a text of more rows than it has lines.
      const cells = lines.length < height ? width : textWidth((lines[row] ?? "").trimEnd());
      reach(y + row, x + Math.min(width, cells));
    }
    return;
  }
  if (node.style.borderStyle !== undefined) {
    for (let row = 0; row < height; row += 1) reach(y + row, x + width);
  }
  for (const child of node.childNodes) widen(widths, child, x, y);
}

type Node = DOMElement["childNodes"][number];

function textOf(node: Node): string {
  return node.nodeName === "#text" ? node.nodeValue : node.childNodes.map(textOf).join("");
}
