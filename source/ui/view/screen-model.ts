// Turns the state of the chat and the size of its place into the rows of its picture.

import type { ChatBackend } from "../chat-backend.ts";
import type { CommandSituation } from "../commands/command.ts";
import { layoutEditor } from "../editor/editor-layout.ts";
import type { ScreenPicture, StyledRow } from "../frame/screen.ts";
import { drawBox } from "../panes/box.ts";
import type { ChatState } from "../state/chat-state.ts";
import { textWidth, truncateText } from "../text/graphemes.ts";
import { wrapLine } from "../text/wrap-line.ts";
import type { Glyphs, Row } from "../theme.ts";
import { emptyRows } from "./empty-rows.ts";
import {
  editorWidth,
  layoutScreen,
  type ScreenLayout,
  type ScreenSize,
  transcriptWidth,
} from "./screen-layout.ts";
import { activityText, statusRow } from "./status-text.ts";
import { type LaidOutTranscript, TranscriptLayout } from "./transcript-layout.ts";
import { type VisibleWindow, visibleWindow } from "./viewport.ts";

export interface ScreenModelOptions {
  readonly backend: ChatBackend;
  readonly glyphs: Glyphs;
  readonly examplePrompts: readonly string[];
}

export class ScreenModel {
  readonly #options: ScreenModelOptions;
  readonly #transcript: TranscriptLayout;

  constructor(options: ScreenModelOptions) {
    this.#options = options;
    this.#transcript = new TranscriptLayout(options.glyphs);
  }

  /** Which keys and hints are valid. */
  situation(state: ChatState, size: ScreenSize): CommandSituation {
    return {
      isBusy: state.activity !== undefined,
      isEditorEmpty: state.editor.text === "",
      isAnchored: this.#window(state, size).window.belowRows !== undefined,
      hasMessages: state.entries.length > 0,
    };
  }

  layout(state: ChatState, size: ScreenSize): ScreenLayout {
    const { editor, notice } = state;
    const editorRows = layoutEditor(editor.text, editor.cursor, editorWidth(size.columns)).rows;
    const noticeRows = notice === undefined ? 1 : this.#noticeRows(notice, size).length;
    return layoutScreen(size, editorRows.length, noticeRows);
  }

  /** The laid out transcript, for scrolling in it. */
  transcript(state: ChatState, size: ScreenSize): LaidOutTranscript {
    const { activity } = state;
    const { backend, glyphs } = this.#options;
    const progress =
      activity === undefined
        ? undefined
        : `${activityText(activity, backend.facts, glyphs)} ${glyphs.separator} Esc cancels`;
    return this.#transcript.layout(state.entries, transcriptWidth(size.columns), progress);
  }

  /** Rows of exactly the size that is asked for. */
  picture(state: ChatState, size: ScreenSize): ScreenPicture {
    const { glyphs, backend } = this.#options;
    const layout = this.layout(state, size);
    const status =
      state.notice === undefined
        ? [statusRow(state, backend.facts, glyphs, layout.transcriptWidth)]
        : this.#noticeRows(state.notice, size);
    const { transcript, window } = this.#window(state, size);
    const below = this.#belowRow(window, size.columns);
    const bodyRows = layout.transcriptRows - below.length;
    const body = this.#body(state, layout, transcript, window);
    const composer = composerPicture(state, layout, glyphs);
    const shownStatus = status.slice(0, layout.statusRows).map((row) => ({
      ...row,
      text: truncateText(row.text, layout.transcriptWidth, glyphs.ellipsis),
    }));
    return {
      rows: [
        ...Array.from({ length: bodyRows }, (_, index) => withMargin(body[index])),
        ...below,
        ...composer.rows,
        ...shownStatus.map(withMargin),
      ],
      cursor: composer.cursor,
    };
  }

  #window(
    state: ChatState,
    size: ScreenSize,
  ): { transcript: LaidOutTranscript; window: VisibleWindow } {
    const transcript = this.transcript(state, size);
    const height = this.layout(state, size).transcriptRows;
    return { transcript, window: visibleWindow(state.viewport, transcript, height) };
  }

  #body(
    state: ChatState,
    layout: ScreenLayout,
    transcript: LaidOutTranscript,
    window: VisibleWindow,
  ): readonly Row[] {
    const { backend, glyphs, examplePrompts } = this.#options;
    if (state.entries.length === 0) {
      const rows = emptyRows(backend.facts, examplePrompts, layout.transcriptWidth, glyphs);
      return rows.slice(0, layout.transcriptRows);
    }
    return transcript.rows(window.topRow, window.rowCount);
  }

  /** The line under an anchored view, in the middle. */
  #belowRow({ belowRows, newRows }: VisibleWindow, columns: number): StyledRow[] {
    if (belowRows === undefined) return [];
    const { below, separator } = this.#options.glyphs;
    const count = newRows > 0 ? newRows : belowRows;
    const lines = `${count} ${newRows > 0 ? "new " : ""}${count === 1 ? "line" : "lines"}`;
    const text = `${below} ${lines}${newRows > 0 ? "" : " below"} ${separator} End to follow`;
    const left = Math.max(0, Math.floor((columns - textWidth(text)) / 2));
    return [[{ text: " ".repeat(left) + text, tone: "mark" }]];
  }

  #noticeRows(notice: string, size: ScreenSize): Row[] {
    const text = `${this.#options.glyphs.warning} ${notice}`;
    const rows = wrapLine(text, transcriptWidth(size.columns));
    return rows.map((row): Row => ({ text: row.text, tone: "warning" }));
  }
}

function withMargin(row: Row | undefined): StyledRow {
  if (row === undefined || row.text === "") return [];
  return [{ text: " ", tone: "plain" }, row];
}

function composerPicture(
  { editor }: ChatState,
  layout: ScreenLayout,
  glyphs: Glyphs,
): Required<ScreenPicture> {
  const width = editorWidth(layout.columns);
  const { rows, cursorRow, cursorColumn } = layoutEditor(editor.text, editor.cursor, width);
  // The row of the cursor is always in sight.
  const lastTop = Math.max(0, rows.length - layout.composerTextRows);
  const top = Math.min(lastTop, Math.max(0, cursorRow - layout.composerTextRows + 1));
  const shown = rows.slice(top, top + layout.composerTextRows);
  const content: StyledRow[] =
    editor.text === ""
      ? [
          [
            { text: `${glyphs.prompt} `, tone: "title" },
            { text: "Send a message (/? for help)", tone: "dim" },
          ],
        ]
      : shown.map(({ text }, index) => [
          { text: index === 0 ? `${glyphs.prompt} ` : "  ", tone: "title" },
          { text, tone: "plain" },
        ]);
  const height = layout.composerTextRows + 2;
  return {
    rows: drawBox(content, { width: layout.columns, height, glyphs, isFocused: true }),
    cursor: {
      x: layout.composerLeft + cursorColumn,
      y: layout.composerTop + cursorRow - top,
    },
  };
}
