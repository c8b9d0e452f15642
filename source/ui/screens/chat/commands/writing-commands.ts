// Keys of the chat while a message is written, or a call waits for a decision.

import { fieldActions } from "../../../editor/line-field.ts";
import { commandRow } from "../../../frame/command-table.ts";
import type { ChatContext } from "../chat-context.ts";
import * as composer from "../composer/composer-actions.ts";
import * as prompts from "../composer/prompt-actions.ts";
import * as conversation from "../conversation-actions.ts";
import * as decisions from "../tools/tool-decisions.ts";
import * as messages from "../transcript/message-actions.ts";
import * as is from "./situations.ts";

const decision = commandRow<ChatContext>("call", "Tool calls", is.inMode("deciding"));
const call = commandRow<ChatContext>("call", "Tool calls", is.isWriting);

export const decisionCommands: readonly is.Row[] = [
  decision("once", ["y"], "Run the call once", {
    hint: "run",
    run: (chat) => decisions.run(chat, "once"),
  }),
  decision("inChat", ["a"], "Run it, and this tool without a question in this chat", {
    hint: "always here",
    when: is.isKeepable,
    run: (chat) => decisions.run(chat, "in-chat"),
  }),
  decision("always", ["A"], "Run it, and this tool without a question in all chats", {
    hint: "always",
    when: is.isKeepable,
    run: (chat) => decisions.run(chat, "always"),
  }),
  decision("edit", ["e"], "Edit the arguments of the call", { hint: "edit", run: decisions.edit }),
  decision("refuse", ["n"], "Refuse the call, with a reason for the model", {
    hint: "refuse",
    run: decisions.refuse,
  }),
  decision("stop", ["Esc"], "Stop the answer; the call is not run", {
    hint: "stop",
    run: conversation.stop,
  }),
  decision("leave", ["Tab"], "Return to the message field; Tab goes back to the call", {
    hint: "write",
    run: (chat) => decisions.focus(chat, false),
  }),
  call("decide", ["Tab"], "Go to the call that waits for a decision", {
    hint: "decide about the call",
    when: (chat) => is.isAsked(chat) && !is.hasMenu(chat),
    run: (chat) => decisions.focus(chat, true),
  }),
];

const menu = commandRow<ChatContext>("menu", "Editing", is.both(is.isWriting, is.hasMenu));

/** Come before the field's: while a menu is open, these keys belong to it. */
const menuCommands: readonly is.Row[] = [
  menu("take", ["Tab"], "Accept the suggestion", { hint: "complete", run: composer.takeFromMenu }),
  menu("up", ["Up"], "Previous suggestion", { run: (chat) => composer.moveMenu(chat, -1) }),
  menu("down", ["Down"], "Next suggestion", { run: (chat) => composer.moveMenu(chat, 1) }),
  menu("close", ["Esc"], "Close the suggestions", { hint: "close", run: composer.closeMenu }),
];

const offers = commandRow<ChatContext>("offers", "Chat", is.both(is.isWriting, is.hasOffers));

/** Come next: an empty field leaves these keys to the list of models to begin with. */
const offerCommands: readonly is.Row[] = [
  offers("take", ["Enter"], "Download the selected model and chat with it", {
    hint: "download and chat",
    when: (chat) => !is.isDownloading(chat),
    run: ({ firstModels }) => firstModels?.take(),
  }),
  offers("up", ["Up"], "Previous model of the list", {
    run: ({ firstModels }) => firstModels?.move(-1),
  }),
  offers("down", ["Down"], "Next model of the list", {
    hint: "next",
    run: ({ firstModels }) => firstModels?.move(1),
  }),
  offers(
    "leave",
    ["Esc"],
    "Stop the download, or close the list and chat with the built-in model",
    {
      hint: (chat) => (is.isDownloading(chat) ? "stop" : "use tiny"),
      run: ({ firstModels }) => firstModels?.leave(),
    },
  ),
];

const anywhere = (area: string) => commandRow<ChatContext>(area, "Chat", is.isOutsideSearch);
const inField = (area: string) => commandRow<ChatContext>(area, "Chat", is.isWriting);
const message = inField("message");
const field = inField("editor");
const editor = commandRow<ChatContext>("editor", "Editing", is.isWriting);

export const chatCommands: readonly is.Row[] = [
  ...menuCommands,
  ...offerCommands,
  inField("answer")(
    "stop",
    ["Esc"],
    "Stop generating and keep the partial answer; queued messages are held",
    { hint: "stop", when: is.isBusy, run: conversation.stop },
  ),
  anywhere("answer")("now", ["Alt+A"], "Answer now: end the model's thinking", {
    hint: "answer now",
    when: is.isThinking,
    run: conversation.answerNow,
  }),
  message(
    "send",
    ["Enter"],
    "Send, or queue while an answer runs; on an empty line, send held messages; \\ at the end adds a line",
    {
      hint: (chat) => {
        if (is.isCompleting(chat) || is.hasOffers(chat)) return undefined;
        return is.isCommand(chat) ? "run" : is.isBusy(chat) ? "queue" : "send";
      },
      run: composer.submit,
    },
  ),
  message("editCancel", ["Esc"], "Cancel edit", {
    hint: "cancel edit",
    when: is.isEditing,
    run: messages.cancelEditing,
  }),
  editor("newline", ["Ctrl+J", "Alt+Enter", "Shift+Enter"], "Insert a line break", {
    hint: is.hintIf(is.isFree, "newline"),
    run: (chat) => composer.edit(chat, { type: "newline" }),
  }),
  inField("queue")("takeBack", ["Up"], "Edit the last queued message", {
    when: is.both(is.hasQueue, is.isFieldEmpty),
    run: prompts.takeBack,
  }),
  anywhere("app")(
    "interrupt",
    ["Ctrl+C"],
    "Stop generating or clear the input; press twice in 2 s to quit",
    {
      hint: (chat) => {
        if (is.isBusy(chat)) return "stop, twice quits";
        return is.isFieldEmpty(chat) ? undefined : "clear the input";
      },
      run: conversation.interrupt,
    },
  ),
  field(
    "complete",
    ["Tab"],
    "Complete a /command or path; otherwise go to the messages or try an example",
    {
      hint: (chat) => {
        if (!is.isFieldEmpty(chat)) return undefined;
        return is.hasMessages(chat) ? "messages" : "example";
      },
      run: composer.complete,
    },
  ),
  message("editLast", ["Esc"], "Edit the last message (press twice)", {
    when: is.both(is.isFree, is.hasMessages),
    run: conversation.pressEscape,
  }),
  field("search", ["Ctrl+R"], "Search earlier messages", { run: composer.startSearch }),
  field(
    "external",
    ["Ctrl+E", "Ctrl+G"],
    "Edit the message in $EDITOR; Ctrl+E first goes to the end of the line",
    { when: is.isAtLineEnd, run: composer.openEditor },
  ),
  anywhere("transcript")("page", ["Ctrl+O"], "Open the whole chat in $PAGER", {
    run: messages.page,
  }),
];

export const editorCommands: readonly is.Row[] = [
  editor("rowUp", ["Up"], "Row up; on the first row, previous message", {
    hint: is.hintIf(is.isFree, "history"),
    run: (chat) => composer.moveRow(chat, -1),
  }),
  editor("rowDown", ["Down"], "Row down; on the last row, next message", {
    run: (chat) => composer.moveRow(chat, 1),
  }),
  ...fieldActions.map(([type, title, keys]) =>
    editor(type, keys, title, { run: (chat) => composer.edit(chat, { type }) }),
  ),
];
