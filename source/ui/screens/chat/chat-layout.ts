// How the rows of the chat's body are shared out.

const composerBorderRows = 2;
/** Border, blank, prompt sign and blank on the left; a blank and the border on the right. */
const composerLeftCells = 4;
const composerRightCells = 2;
const transcriptMarginCells = 1;
export const composerTextRowsMaximum = 10;
const noticeRowsMaximum = 3;

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

export interface ScreenLayout extends ScreenSize {
  readonly transcriptRows: number;
  /** Cells of a transcript row, margins excluded. */
  readonly transcriptWidth: number;
  readonly composerTextRows: number;
  /** First row and column of the composer's text. */
  readonly composerTop: number;
  readonly composerLeft: number;
  readonly statusRows: number;
}

/**
 * Cells that the editor wraps at. One cell is kept free behind them, where the cursor stands when a
 * row is full.
 */
export function editorWidth(columns: number): number {
  return Math.max(1, columns - composerLeftCells - composerRightCells - 1);
}

/** Cells of a row of the transcript, of notices and of the help. */
export function transcriptWidth(columns: number): number {
  return Math.max(1, columns - 2 * transcriptMarginCells);
}

/** Shares the rows out; what composer and notice do not need belongs to the transcript. */
export function layoutScreen(
  size: ScreenSize,
  editorRows: number,
  noticeRows: number,
): ScreenLayout {
  const composerRowsMaximum = Math.min(composerTextRowsMaximum, Math.floor(size.rows / 3));
  const composerTextRows = Math.max(1, Math.min(editorRows, composerRowsMaximum));
  const statusRows = Math.max(1, Math.min(noticeRows, noticeRowsMaximum));
  const fixedRows = composerBorderRows + composerTextRows + statusRows;
  const transcriptRows = Math.max(1, size.rows - fixedRows);
  return {
    ...size,
    transcriptRows,
    transcriptWidth: transcriptWidth(size.columns),
    composerTextRows,
    composerTop: transcriptRows + 1,
    composerLeft: composerLeftCells,
    statusRows,
  };
}
