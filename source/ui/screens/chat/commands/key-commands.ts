// Commands that are keys only: chatting, reading messages, searching, scrolling and editing.

import {
  type Command,
  type CommandContext,
  type CommandSituation,
  commandGroup,
} from "../../../../chat/commands/command.ts";
import { type FieldAction, fieldActions } from "../../../editor/line-field.ts";
import type { ComposerActions } from "../composer/composer-actions.ts";
import type { FirstModelsList } from "../first-models.ts";
import type { ToolDecisions } from "../tools/tool-decisions.ts";
import type { MessageActions } from "../transcript/message-actions.ts";
import type { ScrollRequest } from "../transcript/transcript-window.ts";

/** Actions of keys. */
export interface ScreenContext extends CommandContext {
  readonly composer: ComposerActions;
  readonly messages: MessageActions;
  readonly decisions: ToolDecisions;
  stop(): undefined;
  answerNow(): undefined;
  /** Models to begin with; undefined where none are offered. */
  readonly firstModels: FirstModelsList | undefined;
  interrupt(): undefined;
  escape(): undefined;
}

const keyGroup = commandGroup<ScreenContext>;

/** Comes first: while a menu is open, these keys belong to it. */
const menuCommands = keyGroup({ group: "Editing", mode: "writing", when: hasMenu }, [
  {
    id: "menu.take",
    title: "Accept the suggestion",
    keys: ["Tab"],
    hint: "complete",
    run: ({ composer }) => composer.takeFromMenu(),
  },
  {
    id: "menu.up",
    title: "Previous suggestion",
    keys: ["Up"],
    run: ({ composer }) => composer.moveMenu(-1),
  },
  {
    id: "menu.down",
    title: "Next suggestion",
    keys: ["Down"],
    run: ({ composer }) => composer.moveMenu(1),
  },
  {
    id: "menu.close",
    title: "Close the suggestions",
    keys: ["Esc"],
    hint: "close",
    run: ({ composer }) => composer.closeMenu(),
  },
]);

/** Come next: an empty field leaves these keys to the list of models to begin with. */
const offerCommands = keyGroup({ group: "Chat", mode: "writing", when: hasOffers }, [
  {
    id: "offers.take",
    title: "Download the selected model and chat with it",
    keys: ["Enter"],
    hint: "download and chat",
    when: (situation) => hasOffers(situation) && !situation.isDownloading,
    run: ({ firstModels }) => firstModels?.take(),
  },
  {
    id: "offers.up",
    title: "Previous model of the list",
    keys: ["Up"],
    run: ({ firstModels }) => firstModels?.move(-1),
  },
  {
    id: "offers.down",
    title: "Next model of the list",
    keys: ["Down"],
    hint: "next",
    run: ({ firstModels }) => firstModels?.move(1),
  },
  {
    id: "offers.leave",
    title: "Stop the download, or close the list and chat with the built-in model",
    keys: ["Esc"],
    hint: ({ isDownloading }) => (isDownloading ? "stop" : "use tiny"),
    run: ({ firstModels }) => firstModels?.leave(),
  },
]);

export const chatCommands = [
  ...menuCommands,
  ...offerCommands,
  ...keyGroup({ group: "Chat" }, [
    {
      id: "answer.stop",
      title: "Stop generating and keep the partial answer; queued messages are held",
      keys: ["Esc"],
      mode: "writing",
      hint: "stop",
      when: ({ isBusy }) => isBusy,
      run: (context) => context.stop(),
    },
    {
      id: "answer.now",
      title: "Answer now: end the model's thinking",
      keys: ["Alt+A"],
      hint: "answer now",
      when: ({ isThinking }) => isThinking,
      run: (context) => context.answerNow(),
    },
    {
      id: "message.send",
      title:
        "Send, or queue while an answer runs; on an empty line, send held messages; \\ at the end adds a line",
      keys: ["Enter"],
      mode: "writing",
      hint: ({ isBusy, isCommand }) => (isCommand ? "run" : isBusy ? "queue" : "send"),
      hintWhen: (situation) => !situation.isCompleting && !hasOffers(situation),
      run: ({ composer }) => composer.submit(),
    },
    {
      id: "message.editCancel",
      title: "Cancel edit",
      keys: ["Esc"],
      mode: "writing",
      hint: "cancel edit",
      when: ({ isEditing }) => isEditing,
      run: ({ messages }) => messages.cancelEditing(),
    },
    {
      ...editing("newline", "Insert a line break", ["Ctrl+J", "Alt+Enter", "Shift+Enter"]),
      hint: "newline",
      hintWhen: notBusy,
    },
    {
      id: "queue.takeBack",
      title: "Edit the last queued message",
      keys: ["Up"],
      mode: "writing",
      when: ({ hasQueue, isEditorEmpty }) => hasQueue && isEditorEmpty,
      run: ({ composer }) => composer.sender.takeBack(),
    },
    {
      id: "app.interrupt",
      title: "Stop generating or clear the input; press twice in 2 s to quit",
      keys: ["Ctrl+C"],
      hint: ({ isBusy }) => (isBusy ? "stop, twice quits" : "clear the input"),
      hintWhen: ({ isBusy, isEditorEmpty }) => isBusy || !isEditorEmpty,
      run: (context) => context.interrupt(),
    },
    {
      id: "editor.complete",
      title: "Complete a /command or path; otherwise go to the messages or try an example",
      keys: ["Tab"],
      mode: "writing",
      hint: ({ hasMessages }) => (hasMessages ? "messages" : "example"),
      hintWhen: ({ isEditorEmpty }) => isEditorEmpty,
      run: ({ composer }) => composer.complete(),
    },
    {
      id: "message.editLast",
      title: "Edit the last message (press twice)",
      keys: ["Esc"],
      mode: "writing",
      when: ({ isBusy, hasMessages }) => !isBusy && hasMessages,
      run: (context) => context.escape(),
    },
    {
      id: "editor.search",
      title: "Search earlier messages",
      keys: ["Ctrl+R"],
      mode: "writing",
      run: ({ composer }) => composer.startSearch(),
    },
    {
      id: "editor.external",
      title: "Edit the message in $EDITOR; Ctrl+E first goes to the end of the line",
      keys: ["Ctrl+E", "Ctrl+G"],
      mode: "writing",
      when: ({ isAtLineEnd }) => isAtLineEnd,
      run: ({ composer }) => composer.openEditor(),
    },
    {
      id: "transcript.page",
      title: "Open the whole chat in $PAGER",
      keys: ["Ctrl+O"],
      run: ({ messages }) => messages.page(),
    },
  ]),
];

export const readingCommands = keyGroup({ group: "Messages", mode: "reading" }, [
  {
    id: "reading.leave",
    title: "Return to the message field",
    keys: ["Esc", "Tab", "i"],
    hint: "write",
    run: ({ messages }) => messages.stopReading(),
  },
  {
    id: "reading.up",
    title: "Previous message",
    keys: ["k", "Up"],
    hint: "above",
    run: ({ messages }) => messages.select(-1),
  },
  {
    id: "reading.down",
    title: "Next message",
    keys: ["j", "Down"],
    hint: "below",
    run: ({ messages }) => messages.select(1),
  },
  {
    id: "message.copy",
    title: "Copy the message",
    keys: ["y"],
    hint: "copy",
    run: ({ messages }) => messages.copyMessage(),
  },
  {
    id: "message.copyCode",
    title: "Copy the nearest code block; press again for the next one",
    keys: ["c"],
    hint: "code",
    run: ({ messages }) => messages.copyCode(),
  },
  {
    id: "message.open",
    title: "Expand or collapse results of tools, otherwise the model's thinking",
    keys: ["Enter"],
    hint: "expand",
    run: ({ messages }) => messages.toggleResults(),
  },
  {
    id: "message.thinking",
    title: "Expand or collapse the model's thinking",
    keys: ["t"],
    run: ({ messages }) => messages.toggleThinking(),
  },
  {
    id: "message.again",
    title: "Regenerate the last answer, after a confirmation",
    keys: ["r"],
    hint: "regenerate",
    when: notBusy,
    run: ({ messages }) => messages.regenerate(false),
  },
  {
    id: "message.edit",
    title: "Edit the last message",
    keys: ["e"],
    hint: "edit",
    when: notBusy,
    run: ({ messages }) => messages.editLast(),
  },
  {
    id: "message.fork",
    title: "Fork the chat from this message",
    keys: ["f"],
    hint: "fork",
    when: notBusy,
    run: ({ messages }) => messages.forkHere(),
  },
]);

export const searchCommands = keyGroup({ group: "Searching", mode: "searching" }, [
  {
    id: "search.older",
    title: "Search earlier messages; press again for the next match",
    keys: ["Ctrl+R", "Up"],
    hint: "older",
    run: ({ composer }) => composer.search({ type: "older" }),
  },
  {
    id: "search.younger",
    title: "Next later match",
    keys: ["Ctrl+S", "Down"],
    hint: "newer",
    run: ({ composer }) => composer.search({ type: "younger" }),
  },
  {
    id: "search.take",
    title: "Accept the match",
    keys: ["Enter", "Tab", "Right", "End"],
    hint: "accept",
    run: ({ composer }) => composer.endSearch(true),
  },
  {
    id: "search.cancel",
    title: "Cancel the search",
    keys: ["Esc", "Ctrl+C", "Ctrl+G"],
    hint: "cancel",
    run: ({ composer }) => composer.endSearch(false),
  },
  {
    id: "search.delete",
    title: "Delete the last character of the search",
    keys: ["Backspace", "Ctrl+H"],
    run: ({ composer }) => composer.search({ type: "deleteBackward" }),
  },
]);

export const scrollCommands = keyGroup({ group: "Scrolling" }, [
  {
    ...scrolling("pageUp", "Page up", "PgUp", { kind: "pages", delta: -1 }),
    hint: "scroll",
    hintWhen: ({ hasMessages }) => hasMessages,
  },
  scrolling("pageDown", "Page down", "PgDn", { kind: "pages", delta: 1 }),
  scrolling("rowUp", "Row up", "Shift+Up", { kind: "rows", delta: -1 }),
  scrolling("rowDown", "Row down", "Shift+Down", { kind: "rows", delta: 1 }),
  scrolling("start", "First message", "Ctrl+Home", { kind: "top" }),
  scrolling("end", "Latest text", "Ctrl+End", { kind: "tail" }),
  {
    ...scrolling("startOfChat", "First message, if the field is empty", "Home", { kind: "top" }),
    when: ({ isEditorEmpty, mode }) => isEditorEmpty || mode === "reading",
  },
  {
    id: "view.follow",
    title: "Follow the latest text",
    keys: ["End"],
    hint: "follow",
    when: ({ isAnchored }) => isAnchored,
    run: ({ composer, messages }) => {
      messages.scroll({ kind: "tail" });
      return composer.edit({ type: "moveLineEnd" });
    },
  },
]);

export const editorCommands = keyGroup({ group: "Editing", mode: "writing" }, [
  {
    id: "editor.rowUp",
    title: "Row up; on the first row, previous message",
    keys: ["Up"],
    hint: "history",
    hintWhen: notBusy,
    run: ({ composer }) => composer.moveRow(-1),
  },
  {
    id: "editor.rowDown",
    title: "Row down; on the last row, next message",
    keys: ["Down"],
    run: ({ composer }) => composer.moveRow(1),
  },
  ...fieldActions.map(([type, title, keys]) => editing(type, title, keys)),
]);

function editing(
  type: FieldAction | "newline",
  title: string,
  keys: readonly string[],
): Command<ScreenContext> {
  return {
    id: `editor.${type}`,
    title,
    group: "Editing",
    keys,
    mode: "writing",
    run: ({ composer }) => composer.edit({ type }),
  };
}

function scrolling(name: string, title: string, key: string, request: ScrollRequest) {
  return {
    id: `view.${name}`,
    title,
    keys: [key],
    run: ({ messages }: ScreenContext) => messages.scroll(request),
  };
}

function hasOffers({ hasOffers, isEditorEmpty }: CommandSituation): boolean {
  return hasOffers && isEditorEmpty;
}

function hasMenu({ hasMenu }: CommandSituation): boolean {
  return hasMenu;
}

function notBusy({ isBusy }: CommandSituation): boolean {
  return !isBusy;
}
