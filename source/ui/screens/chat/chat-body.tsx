// The chat between tabs and hints, for each layout.

import { Box } from "ink";
import type { ReactElement } from "react";
import type { WatchedServer } from "../../../client/live/server-watch.ts";
import { Origin } from "../../components/text-cursor.tsx";
import type { BodySize } from "../../frame/screen.ts";
import { useLook } from "../../hooks/use-look.ts";
import { type Readable, useParts, useStore } from "../../hooks/use-store.ts";
import {
  EngineLine,
  EnginePane,
  enginePaneWidth,
  enginePlace,
  useEnginePaneHeight,
} from "../../live/engine-pane.tsx";
import { conversationColumns, conversationSize } from "./chat-layout.ts";
import {
  type ChatView,
  useChatLayout,
  useConversationFigures,
  useEmptyChatRows,
} from "./chat-view.ts";
import { BelowMessages } from "./composer/composer.tsx";
import { InlineChat } from "./inline-chat.tsx";
import { SessionsPane } from "./sessions-pane.tsx";
import { EmptyChat } from "./transcript/empty-chat.tsx";
import { Transcript } from "./transcript/transcript.tsx";

export interface ChatBodyProps extends BodySize {
  readonly chat: ChatView;
}

export function ChatBody(props: ChatBodyProps): ReactElement {
  const { chat } = props;
  const { layout } = useLook();
  const isReading = useStore(
    chat.store,
    ({ viewport, selectedId }) => viewport.kind === "anchored" || selectedId !== undefined,
  );
  // Scrolling back inline needs all the rows that the program may take.
  if (layout === "inline" && !isReading) {
    return <InlineChat {...props} columns={conversationColumns(props.columns)} />;
  }
  return <WindowChat {...props} />;
}

/** Draws the conversation with live figures beside it, or above it in a narrow window. */
function WindowChat({ chat, ...size }: ChatBodyProps): ReactElement {
  const watch = useLook().layout === "window" ? chat.watch : undefined;
  const place = watch === undefined ? "none" : enginePlace(size);
  const room = conversationSize(size, watch !== undefined);
  const rowsAbove = size.rows - room.rows;
  return (
    <Box width={size.columns} height={size.rows} flexShrink={0} justifyContent="space-between">
      <Box flexDirection="column" width={room.columns} flexShrink={0}>
        {watch !== undefined && place === "line" ? (
          <FiguresLine chat={chat} watch={watch} columns={size.columns} />
        ) : (
          <Box height={rowsAbove} flexShrink={0} />
        )}
        <Origin x={0} y={rowsAbove}>
          <Conversation chat={chat} {...room} />
        </Origin>
      </Box>
      {watch !== undefined && place === "pane" && (
        <LiveColumn chat={chat} watch={watch} rows={size.rows} />
      )}
    </Box>
  );
}

function Conversation({ chat, ...size }: ChatBodyProps): ReactElement {
  const { columns } = size;
  const layout = useChatLayout(chat, size);
  const emptyRows = useEmptyChatRows(chat, columns);
  return (
    <>
      {emptyRows === undefined ? (
        <Transcript chat={chat} columns={columns} rows={layout.transcriptRows} />
      ) : (
        <EmptyChat rows={emptyRows} height={layout.transcriptRows} />
      )}
      <BelowMessages chat={chat} columns={columns} layout={layout} y={layout.transcriptRows} />
    </>
  );
}

interface FiguresProps {
  readonly chat: ChatView;
  readonly watch: Readable<WatchedServer>;
}

function FiguresLine({ columns, ...props }: FiguresProps & { columns: number }): ReactElement {
  const conversation = useConversationFigures(props.chat);
  return <EngineLine watch={props.watch} conversation={conversation} columns={columns} />;
}

function LiveColumn({ chat, watch, rows }: FiguresProps & { rows: number }): ReactElement {
  const { store } = chat;
  const conversation = useConversationFigures(chat);
  const engineRows = useEnginePaneHeight(watch, conversation);
  const { saved, settings } = useParts(store, "saved", "settings");
  const current = useStore(store, () => chat.head());
  const { clock } = useLook();
  // Ages grow while nothing else happens: samples come every second.
  const second = useStore(watch, () => Math.floor(clock.wallMs() / 1000));
  return (
    <Box flexDirection="column" width={enginePaneWidth} flexShrink={0}>
      <EnginePane watch={watch} conversation={conversation} rows={rows} />
      <SessionsPane
        saved={saved}
        current={current}
        settings={settings}
        now={second * 1000}
        columns={enginePaneWidth}
        rows={Math.max(0, rows - engineRows)}
      />
    </Box>
  );
}
