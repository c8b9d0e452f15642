// Frame below earlier output of the terminal, erased as a whole when the window gets narrower.

import { Box, type DOMElement, useStdout } from "ink";
import { type ReactElement, type ReactNode, useEffect, useRef } from "react";
import { textWidth } from "../../base/graphemes.ts";
import { CursorPlaceContext, type Place } from "../components/text-cursor.tsx";
import type { Frame } from "../frame/frame.ts";
import { eraseFromAbove } from "../frame/terminal-sequences.ts";

export interface InlineFrameProps {
  readonly frame: Frame;
  /** True in xterm.js, which wraps differently. */
  readonly isXtermJs: boolean;
  readonly children: ReactNode;
}

/**
 * Erases the rows that a narrower terminal adds when it wraps the last frame: Ink erases only as many as
 * it wrote. Clips the old frame until React has the new size, so that it does not wrap again.
 */
export function InlineFrame({ frame, isXtermJs, children }: InlineFrameProps): ReactElement {
  const { stdout } = useStdout();
  const box = useRef<DOMElement>(null);
  const cursor = useRef<Place | undefined>(undefined);
  useEffect(() => {
    let columns = frame.windowSize().columns;
    const onResize = (): void => {
      const before = columns;
      columns = frame.windowSize().columns;
      if (columns >= before || box.current === null) return;
      const widths = rowWidths(box.current).map((width) => Math.min(width, before));
      const count = isXtermJs ? wrappedRowsInXtermJs : wrappedRows;
      const rows = count(widths, cursor.current, columns);
      if (rows > 0) stdout.write(eraseFromAbove(rows));
    };
    // Comes before Ink's own listener, which draws.
    stdout.prependListener("resize", onResize);
    return () => {
      stdout.off("resize", onResize);
    };
  }, [frame, isXtermJs, stdout]);
  return (
    <CursorPlaceContext value={cursor}>
      <Box ref={box} flexDirection="column" width="100%" overflowX="hidden">
        {children}
      </Box>
    </CursorPlaceContext>
  );
}

/**
 * Counts the rows that wrapping adds between the frame's first row and the cursor.
 *
 * @param widths cells of each row of the frame
 * @param cursor undefined: below the last row
 */
export function wrappedRows(
  widths: readonly number[],
  cursor: Place | undefined,
  columns: number,
): number {
  const above = widths.slice(0, cursor?.y ?? widths.length);
  const inRow = Math.floor((cursor?.x ?? 0) / columns);
  return above.reduce((rows, width) => rows + addedRows(width, columns), inRow);
}

/**
 * Counts them in xterm.js, the terminal of VS Code. There the cursor moves down with every added row.
 * Counting upwards, xterm.js takes one line for the cursor's, and does not wrap it.
 */
export function wrappedRowsInXtermJs(
  widths: readonly number[],
  cursor: Place | undefined,
  columns: number,
): number {
  const cursorRow = cursor?.y ?? widths.length;
  return widths.reduceRight(
    (rows, width, row) => (row === cursorRow + rows ? rows : rows + addedRows(width, columns)),
    0,
  );
}

function addedRows(width: number, columns: number): number {
  return Math.max(0, Math.ceil(width / columns) - 1);
}

/** Returns the width of each row of an element in cells, without blanks at the end. */
function rowWidths(element: DOMElement): readonly number[] {
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
      // Ink wrapped a text that has more rows than lines.
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
