// All tabs in order; a tab's number is its key on every machine.

import type { Screen } from "./screen.ts";

export interface Tab {
  readonly id: Screen["id"];
  readonly title: string;
}

export const tabs: readonly Tab[] = [
  { id: "chat", title: "Chat" },
  { id: "models", title: "Models" },
  { id: "server", title: "Server" },
  { id: "deploy", title: "Deploy" },
  { id: "console", title: "Console" },
];
