// Which rows of the transcript are on show: its tail, or a place that new output never moves.

/** A row of the transcript by the entry that it belongs to, so that it survives a new width. */
export interface RowAnchor {
  readonly entryId: number;
  readonly rowInEntry: number;
  /** Width of the layout in which `rowInEntry` was counted. */
  readonly width: number;
}

export type Viewport =
  | { readonly kind: "tail" }
  | {
      readonly kind: "anchored";
      /** The row at the top. */
      readonly top: RowAnchor;
      /** Behind the last row that the person can have seen. */
      readonly seenEnd: RowAnchor;
    };

/** Rows of the entries in their order. */
export interface EntryMeasure {
  readonly entryId: number;
  readonly startRow: number;
  readonly rowCount: number;
}

/** The transcript as the viewport sees it. */
export interface TranscriptMeasure {
  readonly width: number;
  readonly totalRows: number;
  readonly entries: readonly EntryMeasure[];
}

export interface VisibleWindow {
  readonly topRow: number;
  readonly rowCount: number;
  /** Undefined while the tail is followed. */
  readonly belowRows: number | undefined;
  /** Rows that have come since the view was anchored. */
  readonly newRows: number;
}

/** Where a scroll key leads; rows are counted down. */
export type ScrollRequest =
  | { readonly kind: "rows"; readonly delta: number }
  | { readonly kind: "pages"; readonly delta: number }
  | { readonly kind: "top" }
  | { readonly kind: "tail" };

export const followTail: Viewport = { kind: "tail" };

/** An anchored view gives its last row to the line that tells what is below. */
const markerRows = 1;

/** The rows on show in a place of `height` rows. */
export function visibleWindow(
  viewport: Viewport,
  measure: TranscriptMeasure,
  height: number,
): VisibleWindow {
  const tailTop = Math.max(0, measure.totalRows - height);
  const anchored = viewport.kind === "anchored" ? rowOf(viewport.top, measure) : undefined;
  if (viewport.kind === "tail" || anchored === undefined || measure.totalRows <= height) {
    return { topRow: tailTop, rowCount: height, belowRows: undefined, newRows: 0 };
  }
  const rowCount = Math.max(1, height - markerRows);
  const topRow = Math.min(anchored, Math.max(0, measure.totalRows - rowCount));
  const belowRows = Math.max(0, measure.totalRows - topRow - rowCount);
  const seenEnd = rowOf(viewport.seenEnd, measure) ?? measure.totalRows;
  // What has been scrolled into view is no news.
  const newRows = Math.min(belowRows, Math.max(0, measure.totalRows - seenEnd));
  return { topRow, rowCount, belowRows, newRows };
}

/** The viewport after a scroll key. */
export function scroll(
  viewport: Viewport,
  request: ScrollRequest,
  measure: TranscriptMeasure,
  height: number,
): Viewport {
  if (request.kind === "tail" || measure.totalRows <= height) return followTail;
  const rowCount = Math.max(1, height - markerRows);
  const current = visibleWindow(viewport, measure, height).topRow;
  // One row stays in sight for the eye to hold on to.
  const pageRows = Math.max(1, rowCount - 1);
  const wanted =
    request.kind === "top"
      ? 0
      : current + request.delta * (request.kind === "pages" ? pageRows : 1);
  const topRow = Math.max(0, wanted);
  if (topRow + rowCount >= measure.totalRows) return followTail;
  const top = anchorAt(topRow, measure);
  if (top === undefined) return followTail;
  const seenEnd = viewport.kind === "anchored" ? viewport.seenEnd : endAnchor(measure);
  return seenEnd === undefined ? followTail : { kind: "anchored", top, seenEnd };
}

function rowOf(anchor: RowAnchor, measure: TranscriptMeasure): number | undefined {
  const entry = measure.entries.find(({ entryId }) => entryId === anchor.entryId);
  if (entry === undefined) return undefined;
  // Half the width makes about twice the rows.
  const scaled = Math.round((anchor.rowInEntry * anchor.width) / Math.max(1, measure.width));
  return entry.startRow + Math.min(scaled, entry.rowCount);
}

function anchorAt(row: number, measure: TranscriptMeasure): RowAnchor | undefined {
  const entry = measure.entries.findLast(({ startRow }) => startRow <= row);
  if (entry === undefined) return undefined;
  return { entryId: entry.entryId, rowInEntry: row - entry.startRow, width: measure.width };
}

function endAnchor(measure: TranscriptMeasure): RowAnchor | undefined {
  const last = measure.entries.at(-1);
  if (last === undefined) return undefined;
  return { entryId: last.entryId, rowInEntry: last.rowCount, width: measure.width };
}
