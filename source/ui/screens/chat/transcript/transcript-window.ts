// The visible part of the transcript: its tail, or a place that new output never moves. Only rows
// near it are laid out, so that a frame costs the same for any length.

/** A row by its entry, so that it survives a new width. */
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
      /** The position after the last row that the user can have seen. */
      readonly seenEnd: RowAnchor;
    };

/** The entries as rows. */
export interface TranscriptRows {
  readonly width: number;
  readonly count: number;
  idAt(index: number): number;
  /** Counts the rows of an entry, which is laid out if needed. */
  rowsOf(index: number): number;
  /** Estimates them without laying it out. */
  knownRowsOf(index: number): { readonly rows: number; readonly isExact: boolean };
}

/** Visible rows of an entry, from `from` to before `to`. */
export interface VisibleEntry {
  readonly index: number;
  readonly from: number;
  readonly to: number;
}

export interface VisibleWindow {
  readonly entries: readonly VisibleEntry[];
  /** Undefined while the tail is followed. */
  readonly belowRows: number | undefined;
  /** `belowRows` counts entries that were never laid out. */
  readonly isAbout: boolean;
  /** Rows added since the view was anchored. */
  readonly newRows: number;
}

/** Target of a scroll key; rows count downwards. */
export type ScrollRequest =
  | { readonly kind: "rows"; readonly delta: number }
  | { readonly kind: "pages"; readonly delta: number }
  | { readonly kind: "top" }
  | { readonly kind: "tail" };

export const followTail: Viewport = { kind: "tail" };

/** A row in the transcript: the entry's place and the row in it. */
interface Place {
  readonly index: number;
  readonly row: number;
}

/** The last row of an anchored view says how much is below. */
const markerRows = 1;

export function visibleWindow(
  viewport: Viewport,
  transcript: TranscriptRows,
  height: number,
): VisibleWindow {
  const rowCount = Math.max(1, height - markerRows);
  const top = viewport.kind === "tail" ? undefined : placeOf(viewport.top, transcript);
  if (viewport.kind === "tail" || top === undefined || fitsBelow(top, rowCount, transcript)) {
    const { entries } = takeRows(tailPlace(transcript, height), height, transcript);
    return { entries, belowRows: undefined, isAbout: false, newRows: 0 };
  }
  const { end, entries } = takeRows(top, rowCount, transcript);
  const below = rowsFrom(end, transcript);
  const seenEnd = placeOf(viewport.seenEnd, transcript);
  const unseen = seenEnd === undefined ? 0 : rowsFrom(seenEnd, transcript).rows;
  // Rows that were scrolled into view are not new.
  const newRows = Math.min(below.rows, unseen);
  return { entries, belowRows: below.rows, isAbout: !below.isExact, newRows };
}

/** Returns the viewport after a scroll key. */
export function scroll(
  viewport: Viewport,
  request: ScrollRequest,
  transcript: TranscriptRows,
  height: number,
): Viewport {
  if (request.kind === "tail") return followTail;
  const rowCount = Math.max(1, height - markerRows);
  // Leaves a row visible, to keep the reader's place.
  const pageRows = Math.max(1, rowCount - 1);
  if (request.kind === "top") return anchored(viewport, { index: 0, row: 0 }, transcript, rowCount);
  const delta = request.delta * (request.kind === "pages" ? pageRows : 1);
  const from = currentTop(viewport, transcript, height);
  return anchored(viewport, moved(from, delta, transcript), transcript, rowCount);
}

/** Returns the viewport that shows an entry from its first row; unchanged if it is visible already. */
export function reveal(
  viewport: Viewport,
  entryId: number,
  transcript: TranscriptRows,
  height: number,
): Viewport {
  const index = indexOf(entryId, transcript);
  if (index === undefined) return viewport;
  const { entries } = visibleWindow(viewport, transcript, height);
  const { from, to } = entries.find((entry) => entry.index === index) ?? { from: 0, to: 0 };
  const shown = to - from;
  const whole = transcript.rowsOf(index);
  if (shown >= Math.min(whole, height - markerRows)) return viewport;
  return anchored(viewport, { index, row: 0 }, transcript, Math.max(1, height - markerRows));
}

function anchored(
  before: Viewport,
  top: Place,
  transcript: TranscriptRows,
  rowCount: number,
): Viewport {
  if (fitsBelow(top, rowCount, transcript)) return followTail;
  const seenEnd = before.kind === "anchored" ? before.seenEnd : endAnchor(transcript);
  if (seenEnd === undefined) return followTail;
  return { kind: "anchored", top: anchorAt(top, transcript), seenEnd };
}

function currentTop(viewport: Viewport, transcript: TranscriptRows, height: number): Place {
  const top = viewport.kind === "tail" ? undefined : placeOf(viewport.top, transcript);
  return top ?? tailPlace(transcript, height);
}

function tailPlace(transcript: TranscriptRows, height: number): Place {
  let index = transcript.count;
  let rows = 0;
  while (index > 0 && rows < height) {
    index -= 1;
    rows += transcript.rowsOf(index);
  }
  return { index, row: Math.max(0, rows - height) };
}

function moved({ index, row }: Place, delta: number, transcript: TranscriptRows): Place {
  let at = index;
  let inEntry = row + delta;
  while (inEntry < 0 && at > 0) {
    at -= 1;
    inEntry += transcript.rowsOf(at);
  }
  while (at < transcript.count && inEntry >= transcript.rowsOf(at)) {
    inEntry -= transcript.rowsOf(at);
    at += 1;
  }
  return { index: at, row: Math.max(0, inEntry) };
}

/** True if everything after a place fits into this many rows. */
function fitsBelow({ index, row }: Place, rowCount: number, transcript: TranscriptRows): boolean {
  let rows = -row;
  for (let at = index; at < transcript.count; at += 1) {
    rows += transcript.rowsOf(at);
    if (rows > rowCount) return false;
  }
  return true;
}

function takeRows(top: Place, rowCount: number, transcript: TranscriptRows) {
  const entries: VisibleEntry[] = [];
  let { index, row } = top;
  let left = rowCount;
  while (index < transcript.count && left > 0) {
    const all = transcript.rowsOf(index);
    const to = Math.min(all, row + left);
    if (to > row) entries.push({ index, from: row, to });
    left -= Math.max(0, to - row);
    if (to < all) return { entries, end: { index, row: to } };
    index += 1;
    row = 0;
  }
  return { entries, end: { index, row } };
}

function rowsFrom({ index, row }: Place, transcript: TranscriptRows) {
  let rows = -row;
  let isExact = true;
  for (let at = index; at < transcript.count; at += 1) {
    const known = transcript.knownRowsOf(at);
    rows += known.rows;
    isExact &&= known.isExact;
  }
  return { rows: Math.max(0, rows), isExact };
}

/** Returns undefined if the entry was removed. */
function placeOf(anchor: RowAnchor, transcript: TranscriptRows): Place | undefined {
  const index = indexOf(anchor.entryId, transcript);
  if (index === undefined) return undefined;
  if (anchor.width === transcript.width) return { index, row: anchor.rowInEntry };
  // Half the width makes about twice the rows.
  const scaled = Math.round((anchor.rowInEntry * anchor.width) / Math.max(1, transcript.width));
  return { index, row: Math.min(scaled, transcript.rowsOf(index)) };
}

function indexOf(entryId: number, transcript: TranscriptRows): number | undefined {
  for (let index = transcript.count - 1; index >= 0; index -= 1) {
    if (transcript.idAt(index) === entryId) return index;
  }
  return undefined;
}

function anchorAt({ index, row }: Place, transcript: TranscriptRows): RowAnchor {
  return { entryId: transcript.idAt(index), rowInEntry: row, width: transcript.width };
}

function endAnchor(transcript: TranscriptRows): RowAnchor | undefined {
  const last = transcript.count - 1;
  if (last < 0) return undefined;
  const rowInEntry = transcript.rowsOf(last);
  return { entryId: transcript.idAt(last), rowInEntry, width: transcript.width };
}
