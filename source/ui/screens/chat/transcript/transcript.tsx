// The messages: the rows in sight, and the line that tells what is below them.

import { Box, Text } from "ink";
import { memo, type ReactElement } from "react";
import { Line } from "../../../components/line.tsx";
import { useLook } from "../../../hooks/use-look.ts";
import { useStore } from "../../../hooks/use-store.ts";
import { textWidth } from "../../../text/graphemes.ts";
import type { TextRow } from "../../../text/text-run.ts";
import type { Glyphs } from "../../../theme.ts";
import { transcriptWidth } from "../chat-layout.ts";
import { type ChatView, transcriptRows, useModelFacts } from "../chat-view.ts";
import { type VisibleRow, type VisibleWindow, visibleWindow } from "./transcript-window.ts";

export interface TranscriptProps {
  readonly chat: ChatView;
  readonly columns: number;
  readonly rows: number;
}

/** Takes exactly `rows`; only what is in sight is laid out and mounted. */
export const Transcript = memo(function Transcript(props: TranscriptProps): ReactElement {
  const { chat, columns, rows } = props;
  const { store } = chat;
  const entries = useStore(store, (state) => state.entries);
  const activity = useStore(store, (state) => state.activity);
  const viewport = useStore(store, (state) => state.viewport);
  const selectedId = useStore(store, (state) => state.selectedId);
  useStore(store, () => chat.layout.generation);
  useModelFacts(chat);
  const transcript = transcriptRows(chat, { entries, activity }, transcriptWidth(columns));
  const window = visibleWindow(viewport, transcript, rows);
  return (
    <Box flexDirection="column" width={columns} height={rows} flexShrink={0} overflowY="hidden">
      <MessageRows rows={window.rows} selectedId={selectedId} />
      <Box flexGrow={1} />
      <BelowLine window={window} columns={columns} />
    </Box>
  );
});

export interface MessageRowsProps {
  readonly rows: readonly VisibleRow[];
  readonly selectedId?: number | undefined;
}

/** A row keeps its component while it moves: it is drawn again only when its text changes. */
export function MessageRows({ rows, selectedId }: MessageRowsProps): ReactElement {
  return (
    <>
      {rows.map(({ entryId, rowInEntry, runs }) => (
        <MessageRow
          key={`${entryId} ${rowInEntry}`}
          runs={runs}
          isSelected={entryId === selectedId}
        />
      ))}
    </>
  );
}

interface MessageRowProps {
  readonly runs: TextRow;
  readonly isSelected: boolean;
}

/** The margin holds the mark of the selected message. */
const MessageRow = memo(function MessageRow({ runs, isSelected }: MessageRowProps): ReactElement {
  const { glyphs } = useLook();
  if (runs.length === 0) return <Line runs={runs} />;
  const mark = glyphs.isAscii ? "|" : "▌";
  const margin = isSelected
    ? ({ text: mark, tone: "focus" } as const)
    : ({ text: " ", tone: "plain" } as const);
  return <Line runs={[margin, ...runs]} />;
});

interface BelowLineProps {
  readonly window: VisibleWindow;
  readonly columns: number;
}

/** Nothing while the newest text is followed. */
function BelowLine({ window, columns }: BelowLineProps): ReactElement | null {
  const { glyphs, theme } = useLook();
  const text = belowText(window, glyphs);
  if (text === undefined) return null;
  const left = Math.max(0, Math.floor((columns - textWidth(text)) / 2));
  return (
    <Box height={1} flexShrink={0} paddingLeft={left}>
      <Text {...theme.mark} wrap="truncate">
        {text}
      </Text>
    </Box>
  );
}

function belowText(
  { belowRows, newRows, isAbout }: VisibleWindow,
  { below, separator }: Glyphs,
): string | undefined {
  if (belowRows === undefined) return undefined;
  const isNew = newRows > 0;
  const count = isNew ? newRows : belowRows;
  const lines = `${count} ${isNew ? "new " : ""}${count === 1 ? "line" : "lines"}`;
  const about = isAbout && !isNew ? "about " : "";
  return `${below} ${about}${lines}${isNew ? "" : " below"} ${separator} End to follow`;
}
