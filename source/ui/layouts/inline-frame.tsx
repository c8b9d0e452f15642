// The program below earlier output of the terminal: a narrower window leaves no remains of it.

import { Box, type DOMElement, useStdout } from "ink";
import { type ReactElement, type ReactNode, useEffect, useRef } from "react";
import { CursorPlaceContext, type Place } from "../components/text-cursor.tsx";
import type { Frame } from "../frame/frame.ts";
import { eraseFromAbove } from "../frame/terminal-sequences.ts";
import { textWidth } from "../text/graphemes.ts";

export interface InlineFrameProps {
  readonly frame: Frame;
  /** The terminal is xterm.js, which wraps in its own way. */
  readonly isXtermJs: boolean;
  readonly children: ReactNode;
}

/**
 * A terminal that gets narrower wraps the rows of the last frame; Ink erases as many as it wrote. Until React
 * has the new size, the old frame is clipped: a wider one would be wrapped again.
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
    // Ink has its listener already, and draws in it.
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
 * Counts rows added by wrapping between the frame's first row and the cursor, which Ink does not know of.
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
 * The same in xterm.js, the terminal of VS Code: its cursor moves down with every row that is added anywhere, and
 * the line is not wrapped on which it believes the cursor to be, going upwards.
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

/** Cells from the element's left edge to the end of each of its rows, without blanks at the end. */
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
