// The chat for screen readers: a few lines that change in place, below the messages.

import { Box, Text } from "ink";
import type { ReactElement } from "react";
import { useStore } from "../../hooks/use-store.ts";
import { neutraliseText } from "../../text/neutralise.ts";
import { asciiGlyphs } from "../../theme.ts";
import type { Activity } from "./chat-state.ts";
import { type ChatView, useModelFacts } from "./chat-view.ts";
import { foundEntry } from "./composer/history-search.ts";
import { queueHint } from "./composer/message-queue.ts";
import { activityText, statusRun } from "./status-text.ts";

/** Width of a status, which is never cut. */
const statusWidth = 1000;

/** Has few lines that rarely change, since Ink writes all of them again on every change. */
export function ReaderChat({ chat }: { readonly chat: ChatView }): ReactElement {
  const { store } = chat;
  const text = useStore(store, ({ editor }) => editor.text);
  const notice = useStore(store, (state) => state.notice);
  const status = useStatus(chat);
  return (
    <Box flexDirection="column">
      <Text>{`Status: ${neutraliseText(notice?.text ?? status, true)}`}</Text>
      <SearchLine chat={chat} />
      <MenuLine chat={chat} />
      <QueueLine chat={chat} />
      <Box aria-role="textbox">
        <Text aria-label={`Message: ${neutraliseText(text, true)}`}>{text}</Text>
      </Box>
    </Box>
  );
}

function SearchLine({ chat }: { readonly chat: ChatView }): ReactElement | null {
  const search = useStore(chat.store, (state) => state.search);
  const history = useStore(chat.store, ({ editor }) => editor.history);
  if (search === undefined) return null;
  const found = foundEntry(search, history);
  return (
    <Text>{`Search: ${neutraliseText(search.query, true)}, ${neutraliseText(found, true) || "nothing"}`}</Text>
  );
}

function MenuLine({ chat }: { readonly chat: ChatView }): ReactElement | null {
  const menu = useStore(chat.store, (state) => state.menu);
  const item = menu?.items[menu.selected];
  if (menu === undefined || item === undefined) return null;
  const place = `${menu.selected + 1} of ${menu.items.length}`;
  const words = neutraliseText(`${item.title} ${item.note}`.trim(), true);
  return <Text>{`Completion: ${words}, ${place}`}</Text>;
}

function QueueLine({ chat }: { readonly chat: ChatView }): ReactElement | null {
  const queue = useStore(chat.store, (state) => state.queue);
  const hint = queueHint(queue);
  return hint === "" ? null : <Text>{`Queue: ${hint}`}</Text>;
}

function useStatus(chat: ChatView): string {
  const { store } = chat;
  const facts = useModelFacts(chat);
  return useStore(store, (state) => {
    if (state.activity !== undefined) return calmText(state.activity, facts);
    return statusRun(state, facts, asciiGlyphs, statusWidth).text;
  });
}

/** Describes the request without figures that change all the time; shares are in steps of ten. */
function calmText({ phase }: Activity, model: Parameters<typeof activityText>[1]): string {
  const calm = (fraction: number) => Math.floor(fraction * 10) / 10;
  const told = (of: Activity["phase"]) =>
    activityText({ phase: of, elapsedMs: 0 }, model, asciiGlyphs);
  switch (phase.type) {
    case "answering":
      return `${asciiGlyphs.working} answering`;
    case "thinking":
      return `${asciiGlyphs.working} thinking`;
    case "checking":
    case "loading":
      return told({ ...phase, fraction: calm(phase.fraction) });
    case "prompt": {
      const { totalTokens } = phase;
      const share = totalTokens > 0 ? phase.completedTokens / totalTokens : 0;
      return told({ ...phase, completedTokens: calm(share) * totalTokens });
    }
    default:
      return told(phase);
  }
}
