// Message field, or the search in earlier messages.

import { Box } from "ink";
import { memo, type ReactElement } from "react";
import { textWidth } from "../../../../base/graphemes.ts";
import type { Store } from "../../../../base/store.ts";
import { Line } from "../../../components/line.tsx";
import { Panel } from "../../../components/panel.tsx";
import { SelectList } from "../../../components/select-list.tsx";
import { Text } from "../../../components/text.tsx";
import { promptCells, TextArea } from "../../../components/text-area.tsx";
import { TextField } from "../../../components/text-field.tsx";
import { useLook } from "../../../hooks/use-look.ts";
import { useParts, useStore } from "../../../hooks/use-store.ts";
import { cutText } from "../../../text/text-run.ts";
import { glyphs } from "../../../theme.ts";
import { type ChatLayout, editorWidth } from "../chat-layout.ts";
import type { ChatState } from "../chat-state.ts";
import type { ChatView } from "../chat-view.ts";
import { StatusLine } from "../status-line.tsx";
import { foundEntry, type HistorySearch } from "./history-search.ts";
import { queueHint } from "./message-queue.ts";

export interface BelowMessagesProps {
  readonly chat: ChatView;
  readonly columns: number;
  readonly layout: ChatLayout;
  /** The row of the field's upper border from the nearest `Origin`. */
  readonly y: number;
}

/** Draws everything below the messages: field, queue or completions, status. */
export function BelowMessages(props: BelowMessagesProps): ReactElement {
  const { chat, columns, layout, y } = props;
  const { store } = chat;
  return (
    <>
      <Composer store={store} columns={columns} textRows={layout.composerTextRows} y={y} />
      <Queued store={store} columns={columns} rows={layout.queueRows} />
      <Completions store={store} columns={columns} rows={layout.menuRows} />
      <StatusLine chat={chat} columns={columns} />
    </>
  );
}

export interface ComposerProps {
  readonly store: Store<ChatState>;
  readonly columns: number;
  /** Visible rows of text, without the border. */
  readonly textRows: number;
  readonly y: number;
}

export const Composer = memo(function Composer(props: ComposerProps): ReactElement {
  const { store, columns, textRows, y } = props;
  const { editor, search } = useParts(store, "editor", "search");
  const isFocused = useStore(
    store,
    ({ selectedId, asked }) => selectedId === undefined && !asked?.isFocused,
  );
  const title = useStore(store, titleOf);
  const footer = useStore(store, ({ queue, asked }) =>
    asked?.isFocused === false ? "Tab decides about the call" : queueHint(queue),
  );
  return (
    <Panel
      width={columns}
      height={textRows + 2}
      y={y}
      isFocused={isFocused}
      {...(title !== undefined && { title })}
      footer={footer}
    >
      {search === undefined ? (
        <TextArea
          field={editor}
          width={editorWidth(columns)}
          rows={textRows}
          isFocused={isFocused}
          placeholder="Send a message (/? for help)"
        />
      ) : (
        <SearchField search={search} history={editor.history} width={editorWidth(columns)} />
      )}
    </Panel>
  );
});

/** Names the attachments of the next message, or the message it replaces; undefined for a plain one. */
export function titleOf({
  editingId,
  waitingImages,
  isAttaching,
}: Pick<ChatState, "editingId" | "waitingImages" | "isAttaching">): string | undefined {
  if (isAttaching) return "reading files";
  if (editingId !== undefined) return "edit the last message";
  if (waitingImages.length === 0) return undefined;
  return `with ${waitingImages.map(({ name }) => name).join(", ")}`;
}

interface SearchFieldProps {
  readonly search: HistorySearch;
  /** Oldest first. */
  readonly history: readonly string[];
  readonly width: number;
}

/** Search words, followed by the newest message that contains them. */
function SearchField({ search, history, width }: SearchFieldProps): ReactElement {
  const { theme } = useLook();
  const { query } = search;
  // The last cell is for the cursor after the last letter.
  const fieldWidth = Math.min(textWidth(query) + 1, Math.floor(width / 2));
  const found = foundEntry(search, history);
  const isMissing = found === "" && query !== "";
  const room = Math.max(0, width - fieldWidth - 1);
  return (
    <Box height={1} flexShrink={0}>
      <Text {...theme.mark}>{"? "}</Text>
      <TextField
        field={{ text: query, cursor: query.length }}
        width={fieldWidth}
        tone="strong"
        x={promptCells}
      />
      <Text {...theme[isMissing ? "warning" : "dim"]} wrap="truncate">
        {` ${cutText(isMissing ? "no match" : found, room)}`}
      </Text>
    </Box>
  );
}

interface BelowFieldProps {
  readonly store: Store<ChatState>;
  readonly columns: number;
  readonly rows: number;
}

/** Draws a row for each message sent next; the last row counts the others. */
function Queued({ store, columns, rows }: BelowFieldProps): ReactElement | null {
  const { messages } = useStore(store, ({ queue }) => queue);
  if (messages.length === 0 || rows === 0) return null;
  const shown = messages.slice(0, messages.length > rows ? rows - 1 : rows);
  const texts = shown.map(({ typed }) => typed);
  const rest = messages.length - shown.length;
  if (rest > 0) texts.push(`${rest} more`);
  const width = columns - 2 * promptCells;
  return (
    <Box flexDirection="column" height={rows} flexShrink={0} paddingX={promptCells}>
      {texts.map((text, index) => (
        <Line
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity but their position
          key={index}
          runs={[
            { text: `${index < shown.length ? glyphs.queued : glyphs.ellipsis} `, tone: "dim" },
            { text: cutText(text, width - promptCells), tone: "dim" },
          ]}
        />
      ))}
    </Box>
  );
}

/** Draws the menu below the field, if it is open. */
function Completions({ store, columns, rows }: BelowFieldProps): ReactElement | null {
  const { menu } = useParts(store, "menu");
  if (menu === undefined || rows === 0) return null;
  return (
    <Box height={rows} paddingX={1} flexShrink={0}>
      <SelectList items={menu.items} selected={menu.selected} height={rows} width={columns - 2} />
    </Box>
  );
}
