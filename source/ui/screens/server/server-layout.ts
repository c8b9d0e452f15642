// The layout of the Server screen: which parts have room, and where.

import type { BodySize } from "../../frame/screen.ts";

const borderRows = 2;
/** Rows of the panes above the table, borders included. */
export const paneRows = 7;
/** In less room one line must do. */
const paneColumnsMinimum = 100;
const paneBodyMinimum = 20;
/** Border, parameters, phases. */
export const previewRows = 6;
/** In a window with fewer rows the table needs them all. */
const previewBodyMinimum = 26;
const tableMinimum = 4;
/** The filter and the header. */
export const tableHeadRows = 2;

export interface ServerLayout {
  readonly hasPanes: boolean;
  readonly hasPreview: boolean;
  /** The first row of the table's panel, below banner and panes. */
  readonly tableY: number;
  /** Rows of the table's panel. */
  readonly tableHeight: number;
  /** Requests that the table shows at a time. */
  readonly requestRows: number;
}

/**
 * @param bannerRows what is the matter with the server, above everything else
 * @param hasRequests the table has a row, so that there is something to preview
 */
export function serverLayout(
  { columns, rows }: BodySize,
  bannerRows: number,
  hasRequests: boolean,
): ServerLayout {
  const hasPanes = columns >= paneColumnsMinimum && rows - bannerRows >= paneBodyMinimum;
  const hasPreview = rows >= previewBodyMinimum && hasRequests;
  const tableY = bannerRows + (hasPanes ? paneRows : 1);
  const tableHeight = Math.max(tableMinimum, rows - tableY - (hasPreview ? previewRows : 0));
  const requestRows = Math.max(1, tableHeight - borderRows - tableHeadRows);
  return { hasPanes, hasPreview, tableY, tableHeight, requestRows };
}

/** Rows of an open request that are in sight. */
export function detailHeight({ rows }: BodySize, bannerRows: number): number {
  return Math.max(1, rows - bannerRows - borderRows);
}
