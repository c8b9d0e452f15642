// Layout of the chat: the live figures' place, and the heights of its parts.

import { noticeRows } from "../../components/hint-bar.tsx";
import { fieldRowsMaximum, layoutField } from "../../editor/editor-layout.ts";
import type { BodySize } from "../../frame/screen.ts";
import { enginePaneWidth, enginePlace } from "../../live/engine-pane.tsx";
import { glyphs } from "../../theme.ts";
import type { ChatNotice, ChatState } from "./chat-state.ts";

const composerBorderRows = 2;
/** Border, blank, prompt sign and blank on the left; a blank and the border on the right. */
const composerLeftCells = 4;
const composerRightCells = 2;
const transcriptMarginCells = 1;
const noticeRowsMaximum = 3;
const menuRowsMaximum = 8;
const queueRowsMaximum = 3;

export interface ChatLayout {
  readonly transcriptRows: number;
  readonly composerTextRows: number;
  readonly statusRows: number;
  readonly menuRows: number;
  readonly queueRows: number;
}

/** Maximum line length, since longer lines are hard to read. */
const proseColumnsMaximum = 100;
/** Smaller bodies have no blank row at the top. */
const spaciousRows = 18;

/** Columns of messages, field and status, margins included. */
export function conversationColumns(columns: number): number {
  return Math.min(columns, proseColumnsMaximum + 2 * transcriptMarginCells);
}

/** Returns the size of the conversation beside or below the live figures, or below a blank row. */
export function conversationSize(body: BodySize, hasFigures: boolean): BodySize {
  const place = hasFigures ? enginePlace(body) : "none";
  const room = place === "pane" ? body.columns - enginePaneWidth : body.columns;
  const hasRowAbove = place === "line" || body.rows >= spaciousRows;
  return {
    columns: conversationColumns(room),
    rows: hasRowAbove ? body.rows - 1 : body.rows,
  };
}

/**
 * Cells that the editor wraps at. One more cell is kept free for the cursor after a full row.
 */
export function editorWidth(columns: number): number {
  return Math.max(1, columns - composerLeftCells - composerRightCells - 1);
}

/** Cells of a row of the transcript, of the status line and of notices. */
export function transcriptWidth(columns: number): number {
  return Math.max(1, columns - 2 * transcriptMarginCells);
}

export function noticeText({ text, isWarning }: ChatNotice): string {
  return isWarning ? `${glyphs.warning} ${text}` : text;
}

export function chatLayout(
  {
    editor,
    notice,
    search,
    menu,
    queue,
  }: Pick<ChatState, "editor" | "notice" | "search" | "menu" | "queue">,
  { columns, rows }: BodySize,
): ChatLayout {
  const width = editorWidth(columns);
  const typed = layoutField(editor.text, editor.cursor, width);
  const editorRows = search === undefined ? typed.rows.length : 1;
  const statusRows = notice === undefined ? 1 : noticeRows(noticeText(notice), columns).length;
  const below = { menuItems: menu?.items.length ?? 0, queued: queue.messages.length };
  return distributeRows(rows, editorRows, statusRows, below);
}

/** Distributes the rows; the transcript gets those that composer and notice do not need. */
export function distributeRows(
  rows: number,
  editorRows: number,
  noticeRows: number,
  { menuItems, queued } = { menuItems: 0, queued: 0 },
): ChatLayout {
  const composerRowsMaximum = Math.min(fieldRowsMaximum, Math.floor(rows / 3));
  const composerTextRows = Math.max(1, Math.min(editorRows, composerRowsMaximum));
  const composerRows = composerTextRows + composerBorderRows;
  const statusRows = Math.max(1, Math.min(noticeRows, noticeRowsMaximum));
  const menuRows = Math.min(menuItems, menuRowsMaximum, Math.floor(rows / 3));
  const queueRows = menuRows > 0 ? 0 : Math.min(queued, queueRowsMaximum, Math.floor(rows / 5));
  return {
    transcriptRows: Math.max(1, rows - composerRows - statusRows - menuRows - queueRows),
    menuRows,
    queueRows,
    composerTextRows,
    statusRows,
  };
}
