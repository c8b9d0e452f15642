// Tabs and commands of the frame, the same on every screen.

import type { CommandFacts } from "../../chat/commands/command.ts";
import { quitWords } from "../../chat/commands/slash-commands.ts";
import { bindCommands, type CommandRow, commandRow } from "./command-table.ts";
import { type BoundCommand, type FrameServices, type Screen, tabNumber, tabs } from "./screen.ts";

/** Actions that the frame's commands need. */
export interface FrameActions extends Pick<FrameServices, "open" | "help" | "repaint" | "leave"> {
  isTyping(): boolean;
  openPalette(): void;
  openCommandLine(): void;
  chooseTheme(name: string): ReturnType<BoundCommand["run"]>;
  canLaunch(): boolean;
  launch(agent: string): ReturnType<BoundCommand["run"]>;
  /** Undefined where shells cannot suspend programs. */
  readonly suspend?: (() => Promise<void>) | undefined;
  interrupt(): string | undefined;
}

type Row = CommandRow<FrameActions>;

const group = "Everywhere";
const command = commandRow<FrameActions>("app", group);

const screenCommand = commandRow<FrameActions>("screen", group);

function tabRow(id: Screen["id"]): Row {
  const number = tabNumber(id);
  return screenCommand(id, [`Alt+${number}`, String(number)], `Open the ${id} screen`, {
    slash: [`/${id}`],
    run: (frame) => void frame.open(id),
  });
}

/** Screens cannot override these. */
const reserved: readonly Row[] = [
  command("palette", ["Ctrl+P"], "Open the command palette", {
    hint: "palette",
    run: (frame) => void frame.openPalette(),
  }),
  command("commandLine", [":"], "Open the command line", {
    run: (frame) => void frame.openCommandLine(),
  }),
  command("help", ["?"], "Help: keys and commands of this screen", {
    hint: (frame) => (frame.isTyping() ? undefined : "help"),
    run: (frame) => void frame.help(),
  }),
  command("theme", [], "Change the theme", {
    keywords: ["colours", "colors"],
    slash: ["/theme"],
    slashArguments: "[NAME]",
    run: (frame, name) => frame.chooseTheme(name.trim()),
  }),
  command("launch", [], "Launch an agent", {
    keywords: ["codex", "claude", "opencode", "code"],
    slash: ["/launch"],
    slashArguments: "[AGENT]",
    when: (frame) => frame.canLaunch(),
    run: (frame, name) => frame.launch(name.trim()),
  }),
  command("repaint", ["Ctrl+L"], "Redraw the screen", {
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
  ...tabs.map(({ id }) => tabRow(id)),
  ...reserved,
  ...yielding,
];

/** `reserved` commands win over a screen's, `yielding` ones lose. */
export interface FrameCommands {
  readonly reserved: readonly BoundCommand[];
  readonly yielding: readonly BoundCommand[];
}

export function frameCommands(
  screens: readonly Pick<Screen, "id">[],
  actions: FrameActions,
): FrameCommands {
  const opening = screens.map(({ id }) => tabRow(id));
  return {
    reserved: bindCommands([...opening, ...reserved], actions),
    yielding: bindCommands(yielding, actions),
  };
}
