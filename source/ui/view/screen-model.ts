// Turns the state and the size of the terminal into what each part of the screen shows.

import type { ChatBackend } from "../chat-backend.ts";
import type { CommandSituation } from "../commands/command.ts";
import { layoutEditor } from "../editor/editor-layout.ts";
import type { ChatState } from "../state/chat-state.ts";
import { textWidth, truncateText } from "../text/graphemes.ts";
import { neutraliseLine } from "../text/neutralise.ts";
import { wrapLine } from "../text/wrap-line.ts";
import { type Glyphs, type Row, withGlyphs } from "../theme.ts";
import { emptyRows, tooSmallRows } from "./empty-rows.ts";
import { helpRows, hintText } from "./help-rows.ts";
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

export interface ComposerView {
  readonly rows: readonly string[];
  /** Shown while nothing is typed. */
  readonly placeholder: string | undefined;
  /** Cell of the cursor, counted from the top left of the screen. */
  readonly cursor: { readonly x: number; readonly y: number };
}

export interface ScreenView {
  readonly layout: ScreenLayout;
  readonly headerLeft: string;
  readonly headerRight: string;
  /** The transcript, the help or the empty state; in a window that is too small the card. */
  readonly body: readonly Row[];
  /** The line under an anchored view. */
  readonly below: string | undefined;
  readonly composer: ComposerView;
  readonly status: readonly Row[];
  readonly hints: string;
}

export interface ScreenModelOptions {
  readonly backend: ChatBackend;
  readonly version: string;
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
      isHelpOpen: state.helpTop !== undefined,
      isEditorEmpty: state.editor.text === "",
      isAnchored: this.#window(state, size).window.belowRows !== undefined,
      isTooSmall: this.layout(state, size).isTooSmall,
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

  view(state: ChatState, size: ScreenSize): ScreenView {
    const { glyphs, backend } = this.#options;
    const layout = this.layout(state, size);
    const status =
      state.notice === undefined
        ? [statusRow(state, backend.facts, glyphs, layout.transcriptWidth)]
        : this.#noticeRows(state.notice, size);
    const { transcript, window } = this.#window(state, size);
    return {
      layout,
      ...this.#header(size),
      body: this.#body(state, layout, status, transcript, window),
      below: state.helpTop === undefined ? this.#belowText(window) : undefined,
      composer: composerView(state, layout),
      status: status.slice(0, layout.statusRows).map((row) => ({
        ...row,
        text: truncateText(row.text, layout.transcriptWidth, glyphs.ellipsis),
      })),
      hints: hintText(this.situation(state, size), layout.transcriptWidth, glyphs),
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
    status: readonly Row[],
    transcript: LaidOutTranscript,
    window: VisibleWindow,
  ): readonly Row[] {
    const { backend, glyphs, examplePrompts } = this.#options;
    if (layout.isTooSmall) return tooSmallRows(layout, status[0]?.text ?? "", glyphs);
    if (state.helpTop !== undefined) {
      return helpRows(layout.transcriptWidth).slice(
        state.helpTop,
        state.helpTop + layout.transcriptRows,
      );
    }
    if (state.entries.length === 0) {
      const rows = emptyRows(backend.facts, examplePrompts, layout.transcriptWidth, glyphs);
      return rows.slice(0, layout.transcriptRows);
    }
    return transcript.rows(window.topRow, window.rowCount);
  }

  #belowText({ belowRows, newRows }: VisibleWindow): string | undefined {
    if (belowRows === undefined) return undefined;
    const { below, separator } = this.#options.glyphs;
    const count = newRows > 0 ? newRows : belowRows;
    const lines = `${count} ${newRows > 0 ? "new " : ""}${count === 1 ? "line" : "lines"}`;
    return `${below} ${lines}${newRows > 0 ? "" : " below"} ${separator} End to follow`;
  }

  #header(size: ScreenSize): { headerLeft: string; headerRight: string } {
    const { backend, glyphs, version } = this.#options;
    const right = neutraliseLine(withGlyphs(backend.serverLabel(), glyphs), glyphs.isAscii);
    const left = neutraliseLine(`modelctl ${version}  ${backend.facts.name}`, glyphs.isAscii);
    const width = transcriptWidth(size.columns);
    const headerRight = truncateText(right, Math.floor(width / 2), glyphs.ellipsis);
    const room = width - textWidth(headerRight) - 2;
    return { headerLeft: truncateText(left, room, glyphs.ellipsis), headerRight };
  }

  #noticeRows(notice: string, size: ScreenSize): Row[] {
    const text = `${this.#options.glyphs.warning} ${notice}`;
    const rows = wrapLine(text, transcriptWidth(size.columns));
    return rows.map((row): Row => ({ text: row.text, tone: "warning" }));
  }
}

function composerView({ editor }: ChatState, layout: ScreenLayout): ComposerView {
  const width = editorWidth(layout.columns);
  const { rows, cursorRow, cursorColumn } = layoutEditor(editor.text, editor.cursor, width);
  // The row of the cursor is always in sight.
  const lastTop = Math.max(0, rows.length - layout.composerTextRows);
  const top = Math.min(lastTop, Math.max(0, cursorRow - layout.composerTextRows + 1));
  return {
    rows: rows.slice(top, top + layout.composerTextRows).map(({ text }) => text),
    placeholder: editor.text === "" ? "Send a message (/? for help)" : undefined,
    cursor: {
      x: layout.composerLeft + cursorColumn,
      y: layout.composerTop + cursorRow - top,
    },
  };
}

/** The last row that help can be scrolled to. */
export function lastHelpTop(layout: ScreenLayout): number {
  return Math.max(0, helpRows(layout.transcriptWidth).length - layout.transcriptRows);
}
