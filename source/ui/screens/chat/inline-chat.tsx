// The chat below the terminal's earlier text and its own finished messages, in as few rows as it needs.

import { Box } from "ink";
import { type ReactElement, useMemo } from "react";
import type { BodySize } from "../../frame/screen.ts";
import { useStore } from "../../hooks/use-store.ts";
import { transcriptWidth } from "./chat-layout.ts";
import {
  type ChatView,
  transcriptRows,
  useChatLayout,
  useEmptyChatRows,
  useModelFacts,
} from "./chat-view.ts";
import { Composer } from "./composer/composer.tsx";
import { StatusLine } from "./status-line.tsx";
import { EmptyChat } from "./transcript/empty-chat.tsx";
import { finishedCount } from "./transcript/printed-entries.ts";
import { MessageRows } from "./transcript/transcript.tsx";
import { followTail, type VisibleRow, visibleWindow } from "./transcript/transcript-window.ts";

/** With the room that there is at most. */
export interface InlineChatProps extends BodySize {
  readonly chat: ChatView;
}

export function InlineChat({ chat, ...size }: InlineChatProps): ReactElement {
  const { columns } = size;
  const layout = useChatLayout(chat, size);
  const emptyRows = useEmptyChatRows(chat, columns);
  const openRows = useOpenRows(chat, columns, layout.transcriptRows);
  const height = Math.min(layout.transcriptRows, emptyRows?.length ?? openRows.length);
  return (
    <Box flexDirection="column" width={columns} flexShrink={0}>
      {emptyRows === undefined ? (
        <Box flexDirection="column" height={height} flexShrink={0}>
          <MessageRows rows={openRows} />
        </Box>
      ) : (
        <EmptyChat rows={emptyRows} height={height} />
      )}
      <Composer
        store={chat.store}
        columns={columns}
        textRows={layout.composerTextRows}
        y={height}
      />
      <StatusLine chat={chat} columns={columns} />
    </Box>
  );
}

/** The last rows of what may still change: the answer that is being written. */
function useOpenRows(chat: ChatView, columns: number, rows: number): readonly VisibleRow[] {
  const { store } = chat;
  const entries = useStore(store, (state) => state.entries);
  const activity = useStore(store, (state) => state.activity);
  useStore(store, () => chat.layout.generation);
  useModelFacts(chat);
  const open = useMemo(() => entries.slice(finishedCount(entries)), [entries]);
  const all = transcriptRows(chat, { entries: open, activity }, transcriptWidth(columns));
  return visibleWindow(followTail, all, rows).rows;
}
