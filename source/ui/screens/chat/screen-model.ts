// Turns the state of the chat and the size of its place into the rows of its picture.

import { layoutEditor } from "../../editor/editor-layout.ts";
import type { ScreenPicture, Span, StyledRow } from "../../frame/screen.ts";
import type { CodeHighlighter } from "../../markdown/code-highlighter.ts";
import { fitRow } from "../../panes/styled-row.ts";
import { textWidth } from "../../text/graphemes.ts";
import { wrapLine } from "../../text/wrap-line.ts";
import type { Glyphs } from "../../theme.ts";
import type { ChatBackend } from "./chat-backend.ts";
import {
  composerTextRowsMaximum,
  editorWidth,
  layoutScreen,
  type ScreenLayout,
  type ScreenSize,
  transcriptWidth,
} from "./chat-layout.ts";
import { type ChatState, modeOf } from "./chat-state.ts";
import type { CommandSituation } from "./commands/command.ts";
import { composerPicture } from "./composer/composer.tsx";
import { activityText, statusLine } from "./status-text.ts";
import { emptyRows } from "./transcript/empty-chat.tsx";
import { TranscriptLayout } from "./transcript/transcript-layout.ts";
import {
  type TranscriptRows,
  type VisibleWindow,
  visibleWindow,
} from "./transcript/transcript-window.ts";

export interface ScreenModelOptions {
  readonly backend: ChatBackend;
  readonly glyphs: Glyphs;
  readonly examplePrompts: readonly string[];
  readonly highlighter: CodeHighlighter;
  readonly drawsImages: boolean;
  readonly timeText: (atMs: number) => string;
}

const margin: Span = { text: " ", tone: "plain" };

export class ScreenModel {
  readonly #options: ScreenModelOptions;
  readonly #transcript: TranscriptLayout;

  constructor(options: ScreenModelOptions) {
    this.#options = options;
    this.#transcript = new TranscriptLayout(options);
  }

  /** Code has its colours now: rows without them are forgotten. */
  forgetRows(): void {
    this.#transcript.forget();
  }

  /** Which keys and hints are valid. */
  situation(state: ChatState): CommandSituation {
    const { text, cursor } = state.editor;
    return {
      mode: modeOf(state),
      isBusy: state.activity !== undefined,
      isEditorEmpty: text === "",
      isAtLineEnd: cursor === text.length || text[cursor] === "\n",
      isAnchored: state.viewport.kind === "anchored",
      hasMessages: state.entries.length > 0,
      isEditing: state.editingId !== undefined,
    };
  }

  layout(state: ChatState, size: ScreenSize): ScreenLayout {
    const { editor, notice, search } = state;
    const width = editorWidth(size.columns);
    const { rows } = layoutEditor(editor.text, editor.cursor, width, composerTextRowsMaximum);
    const editorRows = search === undefined ? rows.length : 1;
    const noticeRows = notice === undefined ? 1 : this.#noticeRows(notice, size).length;
    return layoutScreen(size, editorRows, noticeRows);
  }

  /** The transcript as rows, for scrolling in it. */
  transcript(state: ChatState, size: ScreenSize): TranscriptRows {
    const { activity } = state;
    const { backend, glyphs } = this.#options;
    const progress =
      activity === undefined
        ? undefined
        : `${activityText(activity, backend.facts, glyphs)} ${glyphs.separator} Esc cancels`;
    return this.#transcript.rows(state.entries, transcriptWidth(size.columns), progress);
  }

  /** Rows of exactly the size that is asked for. */
  picture(state: ChatState, size: ScreenSize): ScreenPicture {
    const { glyphs, backend } = this.#options;
    const layout = this.layout(state, size);
    const status =
      state.notice === undefined
        ? [statusLine(state, backend.facts, glyphs, layout.transcriptWidth)]
        : this.#noticeRows(state.notice, size);
    const transcript = this.transcript(state, size);
    const window = visibleWindow(state.viewport, transcript, layout.transcriptRows);
    const below = this.#belowRow(window, size.columns);
    const bodyRows = layout.transcriptRows - below.length;
    const body =
      state.entries.length === 0 ? this.#emptyBody(layout) : this.#body(window, state.selectedId);
    const composer = composerPicture(state, layout, glyphs);
    return {
      rows: [
        ...Array.from({ length: bodyRows }, (_, index) => body[index] ?? []),
        ...below,
        ...composer.rows,
        ...status
          .slice(0, layout.statusRows)
          .map((row) => [margin, ...cut(row, layout.transcriptWidth, glyphs.ellipsis)]),
      ],
      cursor: composer.cursor,
    };
  }

  #body({ rows, entryIds }: VisibleWindow, selectedId: number | undefined): StyledRow[] {
    const mark: Span = { text: this.#options.glyphs.isAscii ? "|" : "▌", tone: "focus" };
    return rows.map((row, index) => {
      const isSelected = selectedId !== undefined && entryIds[index] === selectedId;
      if (row.length === 0) return [];
      return [isSelected ? mark : margin, ...row];
    });
  }

  #emptyBody(layout: ScreenLayout): StyledRow[] {
    const { backend, glyphs, examplePrompts } = this.#options;
    const rows = emptyRows(backend.facts, examplePrompts, layout.transcriptWidth, glyphs);
    return rows.slice(0, layout.transcriptRows).map((row) => [margin, row]);
  }

  /** The line under an anchored view, in the middle. */
  #belowRow({ belowRows, newRows, isAbout }: VisibleWindow, columns: number): StyledRow[] {
    if (belowRows === undefined) return [];
    const { below, separator } = this.#options.glyphs;
    const isNew = newRows > 0;
    const count = isNew ? newRows : belowRows;
    const lines = `${count} ${isNew ? "new " : ""}${count === 1 ? "line" : "lines"}`;
    const about = isAbout && !isNew ? "about " : "";
    const text = `${below} ${about}${lines}${isNew ? "" : " below"} ${separator} End to follow`;
    const left = Math.max(0, Math.floor((columns - textWidth(text)) / 2));
    return [[{ text: " ".repeat(left) + text, tone: "mark" }]];
  }

  #noticeRows(notice: string, size: ScreenSize): StyledRow[] {
    const text = `${this.#options.glyphs.warning} ${notice.replaceAll("\n", " ")}`;
    const rows = wrapLine(text, transcriptWidth(size.columns));
    return rows.map((row) => [{ text: row.text, tone: "warning" }]);
  }
}

function cut(row: StyledRow, width: number, ellipsis: string): StyledRow {
  const cells = row.reduce((sum, { text }) => sum + textWidth(text), 0);
  return cells <= width ? row : fitRow(row, width, ellipsis);
}
