// The chat in words, for screen readers: a few lines that change in place, below the messages.

import { fromTextWarning, spokenCall } from "../../../chat/conversation/call-text.ts";
import type { Activity } from "../../../chat/conversation/running-answer.ts";
import type { Spoken } from "../../frame/screen.ts";
import { toAscii } from "../../theme.ts";
import type { ChatState } from "./chat-state.ts";
import type { ChatView } from "./chat-view.ts";
import { foundEntry } from "./composer/history-search.ts";
import type { Menu } from "./composer/menu.ts";
import { queueHint } from "./composer/message-queue.ts";
import { areOffersOpen } from "./first-models.ts";
import { activityText, type ModelLine, statusRun } from "./status-text.ts";
import { spokenOffer } from "./transcript/offer-rows.ts";
import { spokenEntries } from "./transcript/spoken-entries.ts";

/** Width of a status, which is never cut. */
const statusWidth = 1000;

/** Leaves out what changes all the time. */
export function spokenChat(chat: ChatView): Spoken {
  const state = chat.store.get();
  const lines = {
    Status: state.notice?.text ?? statusOf(state, chat),
    Call: questionText(state, chat.folder),
    Search: searchText(state),
    Model: offerText(state),
    Completion: menuText(state.menu),
    Queue: queueHint(state.queue),
  };
  const live = Object.entries(lines)
    .filter(([, line]) => line !== "")
    .map(([name, line]) => `${name}: ${line}`);
  return {
    finished: spokenEntries(state.entries),
    live: [...live, `textbox: Message: ${state.editor.text}`],
  };
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

/** Describes the selected model of those to begin with, and the keys that act on it. */
function offerText(state: ChatState): string {
  const { offers } = state;
  if (offers === undefined || !areOffersOpen(state)) return "";
  const keys =
    offers.download === undefined
      ? "Enter downloads it, Up and Down choose another one, Esc keeps the built-in model"
      : "Esc stops";
  return `${spokenOffer(offers)} ${keys}.`;
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

function statusOf(state: ChatState, { backend, watch }: ChatView): string {
  const { facts } = backend;
  if (state.activity !== undefined) return calmText(state.activity, facts);
  const isServerDown = watch?.get().link.kind === "down";
  return toAscii(statusRun({ ...state, isServerDown }, facts, statusWidth).text);
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
