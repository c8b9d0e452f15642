// Visible rows of the messages, and the line that says how much is below.

import { Box } from "ink";
import { memo, type ReactElement } from "react";
import { textWidth } from "../../../../base/graphemes.ts";
import { plural } from "../../../../base/quantities.ts";
import { Text } from "../../../components/text.tsx";
import { useLook } from "../../../hooks/use-look.ts";
import { useParts, useStore } from "../../../hooks/use-store.ts";
import { glyphs } from "../../../theme.ts";
import { transcriptWidth } from "../chat-layout.ts";
import { type ChatView, layOutTranscript, useModelFacts } from "../chat-view.ts";
import { Message } from "./message.tsx";
import type { LaidOutTranscript } from "./transcript-layout.ts";
import { type VisibleEntry, type VisibleWindow, visibleWindow } from "./transcript-window.ts";

export interface TranscriptProps {
  readonly chat: ChatView;
  readonly columns: number;
  readonly rows: number;
}

/** Fills exactly `rows`; only visible messages are laid out and mounted. */
export const Transcript = memo(function Transcript(props: TranscriptProps): ReactElement {
  const { chat, columns, rows } = props;
  const { viewport, selectedId, ...shown } = useParts(
    chat.store,
    "entries",
    "activity",
    "viewport",
    "selectedId",
  );
  useStore(chat.layout, (generation) => generation);
  useModelFacts(chat);
  const transcript = layOutTranscript(chat, shown, transcriptWidth(columns));
  const window = visibleWindow(viewport, transcript, rows);
  return (
    <Box flexDirection="column" width={columns} height={rows} flexShrink={0} overflowY="hidden">
      <Messages transcript={transcript} visible={window.entries} selectedId={selectedId} />
      <Box flexGrow={1} />
      <BelowLine window={window} columns={columns} />
    </Box>
  );
});

export interface MessagesProps {
  readonly transcript: LaidOutTranscript;
  readonly visible: readonly VisibleEntry[];
  readonly selectedId?: number | undefined;
}

export function Messages({ transcript, visible, selectedId }: MessagesProps): ReactElement {
  return (
    <>
      {visible.map(({ index, from, to }) => {
        const id = transcript.idAt(index);
        return (
          <Message
            key={id}
            block={transcript.blockOf(index)}
            from={from}
            to={to}
            isSelected={id === selectedId}
          />
        );
      })}
    </>
  );
}

interface BelowLineProps {
  readonly window: VisibleWindow;
  readonly columns: number;
}

/** Draws nothing at the end of the transcript. */
function BelowLine({ window, columns }: BelowLineProps): ReactElement | null {
  const { theme } = useLook();
  const text = belowText(window);
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

function belowText({ belowRows, newRows, isAbout }: VisibleWindow): string | undefined {
  if (belowRows === undefined) return undefined;
  const isNew = newRows > 0;
  const lines = isNew ? plural(newRows, "new line") : plural(belowRows, "line");
  const about = isAbout && !isNew ? "about " : "";
  return `${glyphs.below} ${about}${lines}${isNew ? "" : " below"} ${glyphs.separator} End to follow`;
}
