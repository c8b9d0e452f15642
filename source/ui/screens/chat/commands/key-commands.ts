// Commands that are keys only: chatting, scrolling and editing.

import type { EditorAction } from "../../../editor/editor-state.ts";
import type { ScrollRequest } from "../transcript/transcript-window.ts";
import type { Command, CommandSituation } from "./command.ts";

export const chatCommands: readonly Command[] = [
  {
    id: "answer.stop",
    title: "Stop the answer, keep what there is of it",
    group: "Chat",
    keys: ["Esc"],
    mode: "writing",
    hint: "stop",
    when: ({ isBusy }) => isBusy,
    run: (context) => {
      context.stop();
      return undefined;
    },
  },
  {
    id: "message.send",
    title: "Send; a line that ends in \\ goes on",
    group: "Chat",
    keys: ["Enter"],
    mode: "writing",
    hint: "send",
    hintWhen: notBusy,
    run: (context) => {
      context.composer.submit();
      return undefined;
    },
  },
  editing("editor.newline", "New line", ["Ctrl+J", "Alt+Enter", "Shift+Enter"], "newline"),
  {
    id: "app.interrupt",
    title: "Stop the answer, else drop the line; twice in 2 s leaves",
    group: "Chat",
    keys: ["Ctrl+C"],
    hint: ({ isBusy }) => (isBusy ? "stop, twice leaves" : "drop the line"),
    hintWhen: ({ isBusy, isEditorEmpty }) => isBusy || !isEditorEmpty,
    run: (context) => {
      context.interrupt();
      return undefined;
    },
  },
  {
    id: "editor.complete",
    title: "Complete a /command or a path; else go to the messages, or try an example",
    group: "Chat",
    keys: ["Tab"],
    mode: "writing",
    hint: ({ hasMessages }) => (hasMessages ? "messages" : "example"),
    hintWhen: ({ isEditorEmpty }) => isEditorEmpty,
    run: async (context) => {
      await context.composer.complete();
      return undefined;
    },
  },
  {
    id: "message.editCancel",
    title: "Leave the last question as it was",
    group: "Chat",
    keys: ["Esc"],
    mode: "writing",
    hint: "leave it",
    when: ({ isEditing }) => isEditing,
    run: (context) => {
      context.messages.cancelEditing();
      return undefined;
    },
  },
  {
    id: "message.editLast",
    title: "Twice: write the last question anew",
    group: "Chat",
    keys: ["Esc"],
    mode: "writing",
    when: ({ isBusy, hasMessages }) => !isBusy && hasMessages,
    run: (context) => {
      context.escape();
      return undefined;
    },
  },
  {
    id: "editor.search",
    title: "Search earlier messages",
    group: "Chat",
    keys: ["Ctrl+R"],
    mode: "writing",
    run: (context) => {
      context.composer.startSearch();
      return undefined;
    },
  },
  {
    id: "editor.external",
    title: "Write the message in $EDITOR; Ctrl+E first goes to the end of the line",
    group: "Chat",
    keys: ["Ctrl+E", "Ctrl+G"],
    mode: "writing",
    when: ({ isAtLineEnd }) => isAtLineEnd,
    run: (context) => context.composer.openEditor(),
  },
  {
    id: "transcript.page",
    title: "Show the whole chat in $PAGER",
    group: "Chat",
    keys: ["Ctrl+O"],
    run: (context) => context.messages.page(),
  },
];

export const scrollCommands: readonly Command[] = [
  scrolling("view.pageUp", "Page up", ["PgUp"], { kind: "pages", delta: -1 }, undefined, "scroll"),
  scrolling("view.pageDown", "Page down", ["PgDn"], { kind: "pages", delta: 1 }),
  scrolling("view.rowUp", "Row up", ["Shift+Up"], { kind: "rows", delta: -1 }),
  scrolling("view.rowDown", "Row down", ["Shift+Down"], { kind: "rows", delta: 1 }),
  scrolling("view.start", "First message", ["Ctrl+Home"], { kind: "top" }),
  scrolling("view.end", "Newest text", ["Ctrl+End"], { kind: "tail" }),
  scrolling(
    "view.startOfChat",
    "First message, while nothing is typed",
    ["Home"],
    { kind: "top" },
    ({ isEditorEmpty, mode }) => isEditorEmpty || mode === "reading",
  ),
  {
    id: "view.follow",
    title: "Follow the newest text again",
    group: "Scrolling",
    keys: ["End"],
    hint: "follow",
    when: ({ isAnchored }) => isAnchored,
    run: (context) => {
      context.messages.scroll({ kind: "tail" });
      context.composer.edit({ type: "moveLineEnd" });
      return undefined;
    },
  },
];

export const editorCommands: readonly Command[] = [
  rowMove("editor.rowUp", "Row up; on the first row, earlier message", "Up", -1, "history"),
  rowMove("editor.rowDown", "Row down; on the last row, later message", "Down", 1),
  editing("editor.moveLeft", "Character left", ["Left", "Ctrl+B"]),
  editing("editor.moveRight", "Character right", ["Right", "Ctrl+F"]),
  editing("editor.moveWordLeft", "Word left", ["Alt+B", "Alt+Left", "Ctrl+Left"]),
  editing("editor.moveWordRight", "Word right", ["Alt+F", "Alt+Right", "Ctrl+Right"]),
  editing("editor.moveLineStart", "Start of the line", ["Ctrl+A", "Home"]),
  editing("editor.moveLineEnd", "End of the line", ["End", "Ctrl+E"]),
  editing("editor.deleteBackward", "Delete backward", ["Backspace", "Ctrl+H", "Shift+Backspace"]),
  editing("editor.deleteForward", "Delete forward", ["Delete", "Ctrl+D"]),
  editing("editor.deleteWordBackward", "Delete the word before", ["Ctrl+W", "Alt+Backspace"]),
  editing("editor.deleteToLineEnd", "Delete to the end of the line", ["Ctrl+K"]),
  editing("editor.deleteToLineStart", "Delete to the start of the line", ["Ctrl+U"]),
];

/** Editor actions without further values; the command is named after its action. */
type PlainAction = Extract<
  EditorAction["type"],
  "newline" | `move${"Left" | "Right" | `Word${string}` | `Line${string}`}` | `delete${string}`
>;

function editing(
  id: `editor.${PlainAction}`,
  title: string,
  keys: readonly string[],
  hint?: string,
): Command {
  const type = id.slice("editor.".length) as PlainAction;
  return {
    id,
    title,
    group: "Editing",
    keys,
    mode: "writing",
    ...(hint === undefined ? {} : { hint, hintWhen: notBusy }),
    run: (context) => {
      context.composer.edit({ type });
      return undefined;
    },
  };
}

function rowMove(
  id: string,
  title: string,
  key: string,
  direction: -1 | 1,
  hint?: string,
): Command {
  return {
    id,
    title,
    group: "Editing",
    keys: [key],
    mode: "writing",
    ...(hint === undefined ? {} : { hint, hintWhen: notBusy }),
    run: (context) => {
      context.composer.moveRow(direction);
      return undefined;
    },
  };
}

function scrolling(
  id: string,
  title: string,
  keys: readonly string[],
  request: ScrollRequest,
  when?: (situation: CommandSituation) => boolean,
  hint?: string,
): Command {
  return {
    id,
    title,
    group: "Scrolling",
    keys,
    ...(when === undefined ? {} : { when }),
    ...(hint === undefined ? {} : { hint, hintWhen: ({ hasMessages }) => hasMessages }),
    run: (context) => {
      context.messages.scroll(request);
      return undefined;
    },
  };
}

function notBusy({ isBusy }: CommandSituation): boolean {
  return !isBusy;
}
