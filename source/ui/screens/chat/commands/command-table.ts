// The table of commands and its help.

import type { Command } from "../../../../chat/commands/command.ts";
import { typedCommands } from "../../../../chat/commands/parse-line.ts";
import { callsOf } from "../../../frame/command-lists.ts";
import { decisionCommands, undecidedCommands } from "./decision-commands.ts";
import {
  chatCommands,
  editorCommands,
  readingCommands,
  type ScreenContext,
  scrollCommands,
  searchCommands,
} from "./key-commands.ts";

/** All commands; the first valid one gets a shared key. */
export const commandTable: readonly Command<ScreenContext>[] = [
  ...decisionCommands,
  ...undecidedCommands,
  ...chatCommands,
  ...typedCommands,
  ...readingCommands,
  ...scrollCommands,
  ...editorCommands,
  ...searchCommands,
];

/** For screen readers: a line for every command with its keys, except cursor keys. */
export function helpText(): string {
  const keyCommands = commandTable.filter((command) => !typedCommands.includes(command));
  return [...typedCommands, ...keyCommands]
    .filter(({ group }) => group !== "Editing" && group !== "Scrolling")
    .map((command) => `${callsOf(command).join(", ")}: ${command.title}`)
    .join("\n");
}
