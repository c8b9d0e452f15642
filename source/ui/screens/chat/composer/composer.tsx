// The field that messages are written in, or the search in earlier ones, as rows.

import { layoutEditor } from "../../../editor/editor-layout.ts";
import type { ScreenPicture, Span, StyledRow } from "../../../frame/screen.ts";
import { drawBox } from "../../../panes/box.ts";
import { textWidth, truncateText } from "../../../text/graphemes.ts";
import type { Glyphs } from "../../../theme.ts";
import { composerTextRowsMaximum, editorWidth, type ScreenLayout } from "../chat-layout.ts";
import type { ChatState } from "../chat-state.ts";
import { entryFound, type HistorySearch } from "./history-search.ts";

export function composerPicture(
  state: ChatState,
  layout: ScreenLayout,
  glyphs: Glyphs,
): Required<ScreenPicture> {
  const { rows, cursor } =
    state.search === undefined
      ? field(state, layout, glyphs)
      : searchField(state.search, state.editor.history, layout, glyphs);
  const height = layout.composerTextRows + 2;
  const isFocused = state.selectedId === undefined;
  const title = titleOf(state);
  return {
    rows: drawBox(rows, {
      width: layout.columns,
      height,
      glyphs,
      isFocused,
      ...(title !== undefined && { title }),
    }),
    cursor: isFocused
      ? { x: layout.composerLeft + cursor.x, y: layout.composerTop + cursor.y }
      : undefined,
  };
}

function titleOf({ editingId, waitingImages, isAttaching }: ChatState): string | undefined {
  if (isAttaching) return "looking at files";
  if (editingId !== undefined) return "your last question, anew";
  if (waitingImages.length === 0) return undefined;
  return `with ${waitingImages.map(({ name }) => name).join(", ")}`;
}

interface Field {
  readonly rows: readonly StyledRow[];
  /** Cells from the left and rows from the top of the text. */
  readonly cursor: { readonly x: number; readonly y: number };
}

function field({ editor }: ChatState, layout: ScreenLayout, glyphs: Glyphs): Field {
  const prompt: Span = { text: `${glyphs.prompt} `, tone: "title" };
  if (editor.text === "") {
    const placeholder: Span = { text: "Send a message (/? for help)", tone: "dim" };
    return { rows: [[prompt, placeholder]], cursor: { x: 0, y: 0 } };
  }
  const width = editorWidth(layout.columns);
  const { rows, cursorRow, cursorColumn } = layoutEditor(
    editor.text,
    editor.cursor,
    width,
    composerTextRowsMaximum,
  );
  // The row of the cursor is always in sight.
  const lastTop = Math.max(0, rows.length - layout.composerTextRows);
  const top = Math.min(lastTop, Math.max(0, cursorRow - layout.composerTextRows + 1));
  const shown = rows.slice(top, top + layout.composerTextRows);
  return {
    rows: shown.map(({ text }, index) => [
      index === 0 ? prompt : { text: "  ", tone: "plain" },
      { text, tone: "plain" },
    ]),
    cursor: { x: cursorColumn, y: cursorRow - top },
  };
}

function searchField(
  search: HistorySearch,
  history: readonly string[],
  layout: ScreenLayout,
  glyphs: Glyphs,
): Field {
  const width = editorWidth(layout.columns);
  const label = "? ";
  const query = truncateText(search.query, Math.floor(width / 2), glyphs.ellipsis);
  const found = entryFound(search, history).replaceAll("\n", " ");
  const isMissing = found === "" && search.query !== "";
  const outcome = isMissing ? "nothing like it" : found;
  const room = Math.max(0, width - textWidth(query) - 2);
  return {
    rows: [
      [
        { text: label, tone: "mark" },
        { text: query, tone: "strong" },
        { text: "  ", tone: "plain" },
        {
          text: truncateText(outcome, room, glyphs.ellipsis),
          tone: isMissing ? "warning" : "dim",
        },
      ],
    ],
    cursor: { x: textWidth(query), y: 0 },
  };
}
