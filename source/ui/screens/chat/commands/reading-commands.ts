// Keys of the chat while messages are read or scrolled, or earlier ones are searched.

import { commandRow } from "../../../frame/command-table.ts";
import type { ChatContext } from "../chat-context.ts";
import * as composer from "../composer/composer-actions.ts";
import * as messages from "../transcript/message-actions.ts";
import type { ScrollRequest } from "../transcript/transcript-window.ts";
import * as is from "./situations.ts";

const reading = commandRow<ChatContext>("reading", "Messages", is.isReading);
const message = commandRow<ChatContext>("message", "Messages", is.isReading);

export const readingCommands: readonly is.Row[] = [
  reading("leave", ["Esc", "Tab", "i"], "Return to the message field", {
    hint: "write",
    run: messages.stopReading,
  }),
  reading("up", ["k", "Up"], "Previous message", {
    hint: "above",
    run: (chat) => messages.select(chat, -1),
  }),
  reading("down", ["j", "Down"], "Next message", {
    hint: "below",
    run: (chat) => messages.select(chat, 1),
  }),
  message("copy", ["y"], "Copy the message", { hint: "copy", run: messages.copyMessage }),
  message("copyCode", ["c"], "Copy the nearest code block; press again for the next one", {
    hint: "code",
    run: messages.copyCode,
  }),
  message(
    "open",
    ["Enter"],
    "Expand or collapse results of tools, otherwise the model's thinking",
    {
      hint: "expand",
      run: messages.toggleResults,
    },
  ),
  message("thinking", ["t"], "Expand or collapse the model's thinking", {
    run: messages.toggleThinking,
  }),
  message("again", ["r"], "Regenerate the last answer, after a confirmation", {
    hint: "regenerate",
    when: is.isFree,
    run: messages.regenerate,
  }),
  message("edit", ["e"], "Edit the last message", {
    hint: "edit",
    when: is.isFree,
    run: messages.editLast,
  }),
  message("fork", ["f"], "Fork the chat from this message", {
    hint: "fork",
    when: is.isFree,
    run: messages.forkHere,
  }),
];

const search = commandRow<ChatContext>("search", "Searching", is.isSearching);

export const searchCommands: readonly is.Row[] = [
  search("older", ["Ctrl+R", "Up"], "Search earlier messages; press again for the next match", {
    hint: "older",
    run: (chat) => composer.search(chat, { type: "older" }),
  }),
  search("younger", ["Ctrl+S", "Down"], "Next later match", {
    hint: "newer",
    run: (chat) => composer.search(chat, { type: "younger" }),
  }),
  search("take", ["Enter", "Tab", "Right", "End"], "Accept the match", {
    hint: "accept",
    run: (chat) => composer.endSearch(chat, true),
  }),
  search("cancel", ["Esc", "Ctrl+C", "Ctrl+G"], "Cancel the search", {
    hint: "cancel",
    run: (chat) => composer.endSearch(chat, false),
  }),
  search("delete", ["Backspace", "Ctrl+H"], "Delete the last character of the search", {
    run: (chat) => composer.search(chat, { type: "deleteBackward" }),
  }),
];

const view = commandRow<ChatContext>("view", "Scrolling", is.isOutsideSearch);

const scrolling = (request: ScrollRequest) => ({
  run: (chat: ChatContext) => messages.scroll(chat, request),
});

export const scrollCommands: readonly is.Row[] = [
  view("pageUp", ["PgUp"], "Page up", {
    hint: is.hintIf(is.hasMessages, "scroll"),
    ...scrolling({ kind: "pages", delta: -1 }),
  }),
  view("pageDown", ["PgDn"], "Page down", scrolling({ kind: "pages", delta: 1 })),
  view("rowUp", ["Shift+Up"], "Row up", scrolling({ kind: "rows", delta: -1 })),
  view("rowDown", ["Shift+Down"], "Row down", scrolling({ kind: "rows", delta: 1 })),
  view("start", ["Ctrl+Home"], "First message", scrolling({ kind: "top" })),
  view("end", ["Ctrl+End"], "Latest text", scrolling({ kind: "tail" })),
  view("startOfChat", ["Home"], "First message, if the field is empty", {
    when: (chat) => is.isFieldEmpty(chat) || is.isReading(chat),
    ...scrolling({ kind: "top" }),
  }),
  view("follow", ["End"], "Follow the latest text", {
    hint: "follow",
    when: is.isAnchored,
    run: (chat) => {
      messages.scroll(chat, { kind: "tail" });
      return composer.edit(chat, { type: "moveLineEnd" });
    },
  }),
];
