// The frame's own commands: they mean the same on every screen.

import type { BoundCommand, CommandFacts, Screen } from "./screen.ts";
import { tabs } from "./tabs.ts";

/** What the commands of the frame act on. */
export interface FrameActions {
  readonly screens: readonly Pick<Screen, "id" | "title" | "tabNumber">[];
  isTyping(): boolean;
  open(id: Screen["id"]): void;
  openPalette(): void;
  help(): void;
  chooseTheme(name: string): string | undefined | Promise<string | undefined>;
  repaint(): void;
  interrupt(): string | undefined;
  leave(reason: "bye" | "interrupted"): void;
}

const group = "Everywhere";

const facts = {
  palette: {
    id: "app.palette",
    title: "All commands, to be found by typing",
    group,
    keys: ["Ctrl+P", ":"],
  },
  help: { id: "app.help", title: "Keys and commands of this screen", group, keys: ["?"] },
  theme: {
    id: "app.theme",
    title: "Other colours",
    group,
    keys: [],
    slash: ["/theme"],
    slashArguments: "[NAME]",
  },
  repaint: { id: "app.repaint", title: "Paint the screen again", group, keys: ["Ctrl+L"] },
  interrupt: {
    id: "app.interrupt",
    title: "Leave, when pressed twice in 2 s",
    group,
    keys: ["Ctrl+C"],
  },
  leave: { id: "app.leave", title: "Leave", group, keys: ["Ctrl+D"], slash: ["/bye", "/exit"] },
} as const satisfies Record<string, CommandFacts>;

function tabFacts(id: string, number: number): CommandFacts {
  return {
    id: `screen.${id}`,
    title: `Open the screen ${number}: ${id}`,
    group,
    keys: [`Alt+${number}`, String(number)],
    slash: [`/${id}`],
  };
}

/** For the documentation. */
export const frameCommandFacts: readonly CommandFacts[] = [
  ...tabs.map(({ id }, index) => tabFacts(id, index + 1)),
  ...Object.values(facts),
];

/** Bound to a frame: those that no screen may take over, and those that it may. */
export function frameCommands(actions: FrameActions): {
  readonly reserved: readonly BoundCommand[];
  readonly yielding: readonly BoundCommand[];
} {
  const always = () => true;
  const unhinted = () => undefined;
  const opening = actions.screens.map(
    ({ id, tabNumber }, index): BoundCommand => ({
      ...tabFacts(id, tabNumber ?? index + 1),
      hint: unhinted,
      isValid: always,
      run: () => done(() => actions.open(id)),
    }),
  );
  const palette: BoundCommand = {
    ...facts.palette,
    hint: () => "palette",
    isValid: always,
    run: () => done(actions.openPalette),
  };
  const help: BoundCommand = {
    ...facts.help,
    hint: () => (actions.isTyping() ? undefined : "help"),
    isValid: always,
    run: () => done(actions.help),
  };
  const theme: BoundCommand = {
    ...facts.theme,
    hint: unhinted,
    isValid: always,
    run: (argument) => actions.chooseTheme(argument.trim()),
  };
  const repaint: BoundCommand = {
    ...facts.repaint,
    hint: unhinted,
    isValid: always,
    run: () => done(actions.repaint),
  };
  const interrupt: BoundCommand = {
    ...facts.interrupt,
    hint: unhinted,
    isValid: always,
    run: () => actions.interrupt(),
  };
  const leave: BoundCommand = {
    ...facts.leave,
    hint: unhinted,
    // In a field Ctrl+D deletes.
    isValid: () => !actions.isTyping(),
    run: () => done(() => actions.leave("bye")),
  };
  return {
    reserved: [...opening, palette, help, theme, repaint],
    yielding: [interrupt, leave],
  };
}

function done(act: () => void): undefined {
  act();
  return undefined;
}
