// Tabs and commands of the frame, the same on every screen.

import { bindCommands, type CommandRow, commandRow } from "./command-table.ts";
import type { BoundCommand, CommandFacts, Screen } from "./screen.ts";

/** A tab; its number is its key on every machine. */
export interface Tab {
  readonly id: Screen["id"];
  readonly title: string;
}

/** All tabs in order. */
export const tabs: readonly Tab[] = [
  { id: "chat", title: "Chat" },
  { id: "models", title: "Models" },
  { id: "server", title: "Server" },
  { id: "deploy", title: "Deploy" },
  { id: "console", title: "Console" },
];

/** Actions that the frame's commands need. */
export interface FrameActions {
  readonly screens: readonly Pick<Screen, "id" | "title" | "tabNumber">[];
  isTyping(): boolean;
  open(id: Screen["id"]): void;
  openPalette(): void;
  openCommandLine(): void;
  help(): void;
  chooseTheme(name: string): ReturnType<BoundCommand["run"]>;
  repaint(): void;
  /** Undefined where shells cannot suspend programs. */
  readonly suspend?: (() => Promise<void>) | undefined;
  interrupt(): string | undefined;
  leave(reason: "bye" | "interrupted"): void;
}

type Row = CommandRow<FrameActions>;

const group = "Everywhere";
const always = () => true;
/** Further search words for quitting. */
export const quitWords: readonly string[] = ["leave", "close"];
const command = commandRow<FrameActions>("app", group);

function tabRow(id: Screen["id"], number: number): Row {
  return {
    id: `screen.${id}`,
    title: `Open the ${id} screen`,
    group,
    keys: [`Alt+${number}`, String(number)],
    slash: [`/${id}`],
    when: always,
    run: (frame) => void frame.open(id),
  };
}

/** Screens cannot override these. */
const reserved: readonly Row[] = [
  command("palette", ["Ctrl+P"], "Open the command palette", {
    hint: "palette",
    when: always,
    run: (frame) => void frame.openPalette(),
  }),
  command("commandLine", [":"], "Open the command line", {
    when: always,
    run: (frame) => void frame.openCommandLine(),
  }),
  command("help", ["?"], "Help: keys and commands of this screen", {
    hint: (frame) => (frame.isTyping() ? undefined : "help"),
    when: always,
    run: (frame) => void frame.help(),
  }),
  command("theme", [], "Change the theme", {
    keywords: ["colours", "colors"],
    slash: ["/theme"],
    slashArguments: "[NAME]",
    when: always,
    run: (frame, name) => frame.chooseTheme(name.trim()),
  }),
  command("repaint", ["Ctrl+L"], "Redraw the screen", {
    when: always,
    run: (frame) => void frame.repaint(),
  }),
  command("suspend", ["Ctrl+Z"], "Suspend (resume with fg)", {
    when: (frame) => frame.suspend !== undefined,
    run: async (frame) => {
      await frame.suspend?.();
      return undefined;
    },
  }),
];

const yielding: readonly Row[] = [
  command("interrupt", ["Ctrl+C"], "Quit (press twice)", {
    when: always,
    run: (frame) => frame.interrupt(),
  }),
  command("leave", ["Ctrl+D"], "Quit", {
    slash: ["/bye", "/exit", "/quit"],
    keywords: quitWords,
    // In a field Ctrl+D deletes.
    when: (frame) => !frame.isTyping(),
    run: (frame) => void frame.leave("bye"),
  }),
];

/** For the documentation. */
export const frameCommandFacts: readonly CommandFacts[] = [
  ...tabs.map(({ id }, index) => tabRow(id, index + 1)),
  ...reserved,
  ...yielding,
];

/** Binds the commands: `reserved` ones win over a screen's, `yielding` ones lose. */
export function frameCommands(actions: FrameActions): {
  readonly reserved: readonly BoundCommand[];
  readonly yielding: readonly BoundCommand[];
} {
  const opening = actions.screens.map(({ id, tabNumber }, index) =>
    tabRow(id, tabNumber ?? index + 1),
  );
  return {
    reserved: bindCommands([...opening, ...reserved], actions),
    yielding: bindCommands(yielding, actions),
  };
}
