// The table of the chat's commands and its help.

import { type Command, runCommand } from "../../../../chat/commands/command.ts";
import { typedCommands } from "../../../../chat/commands/parse-line.ts";
import { callsOf } from "../../../frame/command-lists.ts";
import { bindCommands } from "../../../frame/command-table.ts";
import type { BoundCommand } from "../../../frame/screen.ts";
import type { ChatContext } from "../chat-context.ts";
import { clearNotice } from "../conversation-actions.ts";
import { readingCommands, scrollCommands, searchCommands } from "./reading-commands.ts";
import * as is from "./situations.ts";
import { chatCommands, decisionCommands, editorCommands } from "./writing-commands.ts";

/** Keys and hints of typed commands, by their ids. */
const keysOfTyped: Readonly<Record<string, Partial<is.Row>>> = {
  "model.use": { keys: ["Ctrl+T"], when: is.isFree },
  "conversation.new": { keys: ["Ctrl+N"], when: is.isFree },
  "session.list": { keys: ["Alt+S"], when: is.isFree },
  "settings.form": { keys: ["Alt+P"] },
  "help.open": { hint: is.hintIf(is.isWriting, "help") },
  "app.leave": { keys: ["Ctrl+D"], hint: "quit", when: is.both(is.isWriting, is.isFieldEmpty) },
};

/** Makes a typed command one of the screen, which prints its output. */
function onScreen(command: Command): is.Row {
  const { isAllowedWhileBusy = false } = command;
  const { when = isAllowedWhileBusy ? () => true : is.isFree, ...rest } =
    keysOfTyped[command.id] ?? {};
  return {
    ...command,
    ...rest,
    when: is.both(is.isOutsideSearch, when),
    run: ({ typed }, argument) => runCommand(command, typed, argument),
  };
}

/** All commands; the first valid one gets a shared key. */
export const commandTable: readonly is.Row[] = [
  ...decisionCommands,
  ...chatCommands,
  ...typedCommands.map(onScreen),
  ...readingCommands,
  ...scrollCommands,
  ...editorCommands,
  ...searchCommands,
];

/** Binds the table to a chat, whose notice ends with the next command. */
export function boundCommands(chat: ChatContext): readonly BoundCommand[] {
  return bindCommands(commandTable, chat).map((command) => ({
    ...command,
    run: (argument) => {
      clearNotice(chat);
      return command.run(argument);
    },
  }));
}

/** For screen readers: a line for every command with its keys, except cursor keys. */
export function helpText(): string {
  const isTyped = ({ slash }: is.Row) => slash !== undefined;
  return [...commandTable.filter(isTyped), ...commandTable.filter((row) => !isTyped(row))]
    .filter(({ group }) => group !== "Editing" && group !== "Scrolling")
    .map((command) => `${callsOf(command).join(", ")}: ${command.title}`)
    .join("\n");
}
