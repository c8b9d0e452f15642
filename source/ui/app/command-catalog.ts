// All commands, grouped by where they are valid; source of docs/keyboard.md.

import type { CommandFacts } from "../../chat/commands/command.ts";
import { fieldCommandFacts } from "../frame/command-table.ts";
import { frameCommandFacts } from "../frame/frame-commands.ts";
import { writeCommandFacts } from "../frame/question-overlay.ts";
import { chatPlaceFacts } from "../screens/chat/chat-places.tsx";
import { commandTable } from "../screens/chat/commands/command-table.ts";
import { consoleCommands } from "../screens/console/console-commands.ts";
import { deployCommands } from "../screens/deploy/deploy-commands.ts";
import { modelsCommands } from "../screens/models/models-commands.ts";
import { serverCommands } from "../screens/server/server-commands.ts";

export interface CommandSection {
  readonly title: string;
  readonly commands: readonly CommandFacts[];
}

export const commandCatalog: readonly CommandSection[] = [
  { title: "Everywhere", commands: frameCommandFacts },
  { title: "Chat", commands: [...commandTable, chatPlaceFacts] },
  { title: "Models", commands: modelsCommands },
  { title: "Server", commands: serverCommands },
  { title: "Deploy", commands: deployCommands },
  { title: "Console", commands: consoleCommands },
  { title: "Single-line fields", commands: fieldCommandFacts },
  { title: "Multi-line fields", commands: writeCommandFacts },
];
