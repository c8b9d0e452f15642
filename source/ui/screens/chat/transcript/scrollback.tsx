// Finished messages as plain text above the program, in the layout `inline`.

import { Box, Static, Text } from "ink";
import { type ReactElement, useMemo, useState } from "react";
import { useLook } from "../../../hooks/use-look.ts";
import { useStore } from "../../../hooks/use-store.ts";
import { transcriptWidth } from "../chat-layout.ts";
import type { ChatView } from "../chat-view.ts";
import type { PrintedItem } from "./printed-entries.ts";
import { MessageRows } from "./transcript.tsx";
import { followTail, visibleWindow } from "./transcript-window.ts";

export interface ScrollbackProps {
  readonly chat: ChatView;
  readonly columns: number;
}

/** Mount one at a time: Ink prints one `Static` of a tree. */
export function Scrollback({ chat, columns }: ScrollbackProps): ReactElement {
  // Messages that were printed before another chat came to the front are not printed again.
  const [from] = useState(() => chat.printed.count);
  const printed = useStore(chat.store, (state) => chat.printed.take(state));
  const items = useMemo(() => printed.slice(from), [printed, from]);
  return (
    <Static items={items}>
      {(item) => <PrintedMessage key={item.key} item={item} chat={chat} columns={columns} />}
    </Static>
  );
}

interface PrintedMessageProps extends ScrollbackProps {
  readonly item: PrintedItem;
}

function PrintedMessage({ item, chat, columns }: PrintedMessageProps): ReactElement {
  const { glyphs, theme } = useLook();
  if ("skipped" in item) {
    const text = `${glyphs.ellipsis} ${item.skipped} earlier messages; Ctrl+O shows them`;
    return (
      <Box width={columns} paddingX={1} paddingBottom={1}>
        <Text {...theme.dim} wrap="truncate">
          {text}
        </Text>
      </Box>
    );
  }
  const rows = chat.layout.rows([item.entry], transcriptWidth(columns), undefined);
  const window = visibleWindow(followTail, rows, Number.POSITIVE_INFINITY);
  return (
    <Box flexDirection="column" width={columns}>
      <MessageRows rows={window.rows} />
    </Box>
  );
}
