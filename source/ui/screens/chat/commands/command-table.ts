// The table of commands and its help.

import { callsOf } from "../../../frame/command-lists.ts";
import type { Command } from "./command.ts";
import {
  chatCommands,
  editorCommands,
  readingCommands,
  type ScreenContext,
  scrollCommands,
  searchCommands,
} from "./key-commands.ts";
import { typedCommands } from "./parse-line.ts";

/** All commands; the first valid one gets a shared key. */
export const commandTable: readonly Command<ScreenContext>[] = [
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
