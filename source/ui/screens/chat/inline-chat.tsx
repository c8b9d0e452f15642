// Chat in the layout `inline`: finished messages are plain text above the program; changing content is
// below, in as few rows as possible.

import { Box, Static } from "ink";
import { type ReactElement, useCallback, useMemo, useState, useSyncExternalStore } from "react";
import { Text } from "../../components/text.tsx";
import type { BodySize } from "../../frame/screen.ts";
import { useLook } from "../../hooks/use-look.ts";
import { usePaced, useParts, useStore } from "../../hooks/use-store.ts";
import { glyphs } from "../../theme.ts";
import { conversationColumns, transcriptWidth } from "./chat-layout.ts";
import {
  type ChatView,
  layOutTranscript,
  useChatLayout,
  useEmptyChatRows,
  useModelFacts,
} from "./chat-view.ts";
import { BelowMessages } from "./composer/composer.tsx";
import { EmptyChat } from "./transcript/empty-chat.tsx";
import { Message } from "./transcript/message.tsx";
import { finishedCount, type PrintedItem } from "./transcript/printed-entries.ts";
import { Messages } from "./transcript/transcript.tsx";
import { followTail, visibleWindow } from "./transcript/transcript-window.ts";

/** Draws in at most this size. */
export interface InlineChatProps extends BodySize {
  readonly chat: ChatView;
}

export function InlineChat({ chat, ...size }: InlineChatProps): ReactElement {
  const { columns } = size;
  const layout = useChatLayout(chat, size);
  const emptyRows = useEmptyChatRows(chat, columns);
  const transcript = useUnfinished(chat, columns);
  const { entries } = visibleWindow(followTail, transcript, layout.transcriptRows);
  const openRows = entries.reduce((rows, { from, to }) => rows + to - from, 0);
  const height = Math.min(layout.transcriptRows, emptyRows?.length ?? openRows);
  return (
    <Box flexDirection="column" width={columns} flexShrink={0}>
      {emptyRows === undefined ? (
        <Box flexDirection="column" height={height} flexShrink={0}>
          <Messages transcript={transcript} visible={entries} />
        </Box>
      ) : (
        <EmptyChat rows={emptyRows} height={height} />
      )}
      <BelowMessages chat={chat} columns={columns} layout={layout} y={height} />
    </Box>
  );
}

/** Draws messages that may still change: the answer in progress. */
function useUnfinished(chat: ChatView, columns: number) {
  const { entries, activity } = useParts(chat.store, "entries", "activity");
  useStore(chat.layout, (generation) => generation);
  useModelFacts(chat);
  const open = useMemo(() => entries.slice(finishedCount(entries)), [entries]);
  return layOutTranscript(chat, { entries: open, activity }, transcriptWidth(columns));
}

export interface ScrollbackProps {
  readonly chat: ChatView;
  readonly columns: number;
}

/** Mount one at a time: Ink prints one `Static` of a tree. */
export function Scrollback({ chat, ...room }: ScrollbackProps): ReactElement {
  const columns = conversationColumns(room.columns);
  // Messages that were printed before another chat came to the front are not printed again.
  const [from] = useState(() => chat.printed.items.length);
  const printed = usePrinted(chat);
  const items = useMemo(() => printed.slice(from), [printed, from]);
  return (
    <Static items={items}>
      {(item) => <PrintedMessage key={item.key} item={item} chat={chat} columns={columns} />}
    </Static>
  );
}

/** Returns everything printed so far; finished messages are added when the chat has changed. */
function usePrinted({ store, printed }: ChatView): readonly PrintedItem[] {
  const subscribe = usePaced(store);
  const follow = useCallback(
    (listener: () => void) => {
      const take = (): void => {
        printed.take(store.get());
        listener();
      };
      take();
      return subscribe(take);
    },
    [subscribe, store, printed],
  );
  return useSyncExternalStore(follow, () => printed.items);
}

interface PrintedMessageProps extends ScrollbackProps {
  readonly item: PrintedItem;
}

function PrintedMessage({ item, chat, columns }: PrintedMessageProps): ReactElement {
  const { theme } = useLook();
  if ("entry" in item) {
    return (
      <Box flexDirection="column" width={columns}>
        <Message block={chat.layout.block(item.entry, transcriptWidth(columns))} />
      </Box>
    );
  }
  return (
    <Box width={columns} paddingX={1} paddingBottom={1}>
      <Text {...theme.dim} wrap="truncate">
        {`${glyphs.ellipsis} ${item.skipped} earlier messages; Ctrl+O shows them`}
      </Text>
    </Box>
  );
}
