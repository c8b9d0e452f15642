// The chat for screen readers: a few lines that change in place, below the messages.

import { Box, Text } from "ink";
import type { ReactElement } from "react";
import { harmlessText } from "../../../base/harmless-text.ts";
import { fromTextWarning, spokenCall } from "../../../chat/conversation/call-text.ts";
import type { Activity } from "../../../chat/conversation/running-answer.ts";
import { useParts, useStore } from "../../hooks/use-store.ts";
import { toAscii } from "../../theme.ts";
import type { ChatState } from "./chat-state.ts";
import { type ChatView, useIsServerDown, useModelFacts } from "./chat-view.ts";
import { foundEntry } from "./composer/history-search.ts";
import type { Menu } from "./composer/menu.ts";
import { queueHint } from "./composer/message-queue.ts";
import { activityText, type ModelLine, statusRun } from "./status-text.ts";

/** Width of a status, which is never cut. */
const statusWidth = 1000;

/** Has few lines that rarely change, since Ink writes all of them again on every change. */
export function ReaderChat({ chat }: { readonly chat: ChatView }): ReactElement {
  const status = useStatus(chat);
  const question = useStore(chat.store, (now) => questionText(now, chat.folder));
  const state = useParts(chat.store, "editor", "notice", "search", "menu", "queue");
  const lines = {
    Status: state.notice?.text ?? status,
    Call: question,
    Search: searchText(state),
    Completion: menuText(state.menu),
    Queue: queueHint(state.queue),
  };
  const { text } = state.editor;
  return (
    <Box flexDirection="column">
      {Object.entries(lines).map(([name, line]) =>
        line === "" ? null : <Text key={name}>{`${name}: ${harmlessText(line)}`}</Text>,
      )}
      <Box aria-role="textbox">
        <Text aria-label={`Message: ${harmlessText(text)}`}>{text}</Text>
      </Box>
    </Box>
  );
}

/** Describes the call that waits for a decision, and the keys that decide. */
function questionText({ entries, asked }: ChatState, folder: string): string {
  const entry = entries.findLast(({ kind }) => kind === "assistant");
  if (asked === undefined || entry?.kind !== "assistant") return "";
  const { openCall, toolCalls: [call] = [] } = entry;
  if (openCall === undefined || call === undefined) return "";
  const { server, name, isReadOnly, isFromText } = openCall;
  const effect = isReadOnly ? ", reads only, says its server" : "";
  const warning = isFromText ? ` ${fromTextWarning}` : "";
  const always = asked.isKeepable ? ", a always in this chat, A always" : "";
  const keys = asked.isFocused
    ? `y runs it${always}, e edits it, n refuses it`
    : "Tab decides about it";
  const what = spokenCall({ server, name, arguments: call.arguments }, folder);
  return `${what}${effect}.${warning} ${keys}.`;
}

function searchText({ search, editor }: Pick<ChatState, "search" | "editor">): string {
  if (search === undefined) return "";
  return `${search.query}, ${foundEntry(search, editor.history) || "nothing"}`;
}

function menuText(menu: Menu | undefined): string {
  const item = menu?.items[menu.selected];
  if (menu === undefined || item === undefined) return "";
  return `${`${item.title} ${item.note}`.trim()}, ${menu.selected + 1} of ${menu.items.length}`;
}

function useStatus(chat: ChatView): string {
  const { store } = chat;
  const facts = useModelFacts(chat);
  const isServerDown = useIsServerDown(chat);
  return useStore(store, (state) => {
    if (state.activity !== undefined) return calmText(state.activity, facts);
    return toAscii(statusRun({ ...state, isServerDown }, facts, statusWidth).text);
  });
}

/** Describes the request without figures that change all the time; shares are in steps of ten. */
function calmText({ phase }: Activity, model: ModelLine): string {
  const calm = (fraction: number) => Math.floor(fraction * 10) / 10;
  const told = (of: Activity["phase"]) => toAscii(activityText({ phase: of, elapsedMs: 0 }, model));
  switch (phase.type) {
    case "answering":
      return "~ answering";
    case "thinking":
      return "~ thinking";
    case "calling":
      return told({ ...phase, call: { ...phase.call, elapsedMs: 0 } });
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
