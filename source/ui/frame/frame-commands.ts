// The frame's own commands: they mean the same on every screen.

import { bindCommands, type CommandRow, commandRow } from "./command-table.ts";
import type { BoundCommand, CommandFacts, Screen } from "./screen.ts";
import { tabs } from "./tabs.ts";

/** What the commands of the frame act on. */
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
/** Words that people look for the end of the program by. */
export const quitWords: readonly string[] = ["leave", "close"];
/** Said after the first Ctrl+C, in the line mode too. */
export const quitNotice = "Press Ctrl+C again to quit (or use Ctrl+D)";
const command = commandRow<FrameActions>("app", group);

function tabRow(id: Screen["id"], number: number): Row {
  return {
    id: `screen.${id}`,
    title: `Open the screen ${number}: ${id}`,
    group,
    keys: [`Alt+${number}`, String(number)],
    slash: [`/${id}`],
    when: always,
    run: (frame) => void frame.open(id),
  };
}

/** No screen may take them over. */
const reserved: readonly Row[] = [
  command("palette", ["Ctrl+P"], "Command palette", {
    hint: "palette",
    when: always,
    run: (frame) => void frame.openPalette(),
  }),
  command("commandLine", [":"], "Command line: type a command of any screen", {
    when: always,
    run: (frame) => void frame.openCommandLine(),
  }),
  command("help", ["?"], "Help: keys and commands of this screen", {
    hint: (frame) => (frame.isTyping() ? undefined : "help"),
    when: always,
    run: (frame) => void frame.help(),
  }),
  command("theme", [], "Other colours", {
    slash: ["/theme"],
    slashArguments: "[NAME]",
    when: always,
    run: (frame, name) => frame.chooseTheme(name.trim()),
  }),
  command("repaint", ["Ctrl+L"], "Paint the screen again", {
    when: always,
    run: (frame) => void frame.repaint(),
  }),
  command("suspend", ["Ctrl+Z"], "Suspend; fg in the shell comes back", {
    when: (frame) => frame.suspend !== undefined,
    run: async (frame) => {
      await frame.suspend?.();
      return undefined;
    },
  }),
];

const yielding: readonly Row[] = [
  command("interrupt", ["Ctrl+C"], "Quit, when pressed twice in 2 s", {
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

/** Bound to a frame: those that no screen may take over, and those that it may. */
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
