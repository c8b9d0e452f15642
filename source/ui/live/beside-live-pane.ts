// A screen with the live figures of the engine and the machine beside it.

import type { BodySize, PaintedScreen, ScreenPicture, StyledRow } from "../frame/screen.ts";
import { besides, drawBox, innerHeight, innerWidth } from "../panes/box.ts";
import type { Glyphs } from "../theme.ts";
import { type ConversationFigures, engineLine, enginePaneRows } from "./engine-pane.ts";
import type { ServerWatch } from "./server-watch.ts";

/** From this width on there is room for a column. */
const columnsMinimum = 100;
const paneColumns = 32;
/** From this width on there is room for a line of figures above the screen. */
const lineColumnsMinimum = 80;
const lineRowsMinimum = 20;

export interface LivePaneOptions {
  readonly watch: ServerWatch;
  /** What the screen knows of its own answers. */
  readonly figures: () => ConversationFigures;
  readonly glyphs: Glyphs;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The same screen, in less room. */
export function besideLivePane(screen: PaintedScreen, options: LivePaneOptions): PaintedScreen {
  const { watch, glyphs } = options;
  const facts = () => ({
    conversation: options.figures(),
    samples: watch.samples,
    staleMs: watch.staleMs,
    now: options.now(),
  });
  return {
    id: screen.id,
    title: screen.title,
    commands: () => screen.commands(),
    picture: (size) => {
      if (size.columns >= columnsMinimum) return withColumn(screen, size, glyphs, facts());
      if (size.columns < lineColumnsMinimum || size.rows < lineRowsMinimum) {
        return screen.picture(size);
      }
      const picture = screen.picture({ ...size, rows: size.rows - 1 });
      const margin = { text: " ", tone: "plain" } as const;
      const line = [margin, ...engineLine(facts(), size.columns - 2, glyphs)];
      return withRowAbove(line, picture);
    },
    status: () => screen.status(),
    isTyping: () => screen.isTyping(),
    type: (text) => screen.type(text),
    paste: (text) => screen.paste(text),
    readerLines: () => screen.readerLines(),
    readerFooter: () => screen.readerFooter?.() ?? [],
    accept: (argument) => screen.accept?.(argument),
    subscribe: (listener) => {
      const ends = [screen.subscribe(listener), watch.subscribe(listener)];
      return () => {
        for (const end of ends) end();
      };
    },
    activate: () => {
      watch.start();
      screen.activate();
    },
    deactivate: () => screen.deactivate(),
    close: () => screen.close(),
  };
}

function withRowAbove(row: StyledRow, { rows, cursor }: ScreenPicture): ScreenPicture {
  return {
    rows: [row, ...rows],
    ...(cursor !== undefined && { cursor: { x: cursor.x, y: cursor.y + 1 } }),
  };
}

function withColumn(
  screen: PaintedScreen,
  size: BodySize,
  glyphs: Glyphs,
  facts: Parameters<typeof enginePaneRows>[0],
): ScreenPicture {
  const width = size.columns - paneColumns;
  const { rows, cursor } = screen.picture({ columns: width, rows: size.rows });
  const content = enginePaneRows(facts, innerWidth(paneColumns), glyphs);
  const height = Math.min(size.rows, content.length + 2);
  const box = { width: paneColumns, height, glyphs, title: "Engine" };
  const left = size.rows - height;
  const below =
    innerHeight(left) > 0 ? (screen.aside?.({ columns: paneColumns, rows: left }) ?? []) : [];
  const column = [...drawBox(content, box), ...below];
  const beside = besides(rows, column, width, glyphs.ellipsis).slice(0, size.rows);
  return { rows: beside, ...(cursor !== undefined && { cursor }) };
}
