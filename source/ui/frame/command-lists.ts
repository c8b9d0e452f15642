// Command lookups and lists: keys, slash names, help, palette and hints.

import { textWidth } from "../../base/graphemes.ts";
import { type CommandFacts, findTyped, slashUsages } from "../../chat/commands/command.ts";
import type { BoundCommand, Hint, ListItem, Screen } from "./screen.ts";

/** Finds the first valid command of a key. */
export function findByKey(
  commands: readonly BoundCommand[],
  key: string,
): BoundCommand | undefined {
  return commands.find((command) => command.keys.includes(key) && command.isValid());
}

/** Short names on the command line, as in k9s and vi. */
const aliases: Readonly<Record<string, string>> = {
  c: "chat",
  m: "models",
  s: "server",
  d: "deploy",
  k: "console",
  q: "bye",
};

/** Expands an alias such as `q`. */
export function withoutAlias(line: string): string {
  const [word = "", ...rest] = line.trim().split(" ");
  return [aliases[word] ?? word, ...rest].join(" ");
}

/** Returns the command of each slash name; the first one wins a shared name. */
export function commandsByName(
  commands: readonly BoundCommand[],
): ReadonlyMap<string, BoundCommand> {
  const named = new Map<string, BoundCommand>();
  for (const command of commands) {
    for (const name of command.slash ?? []) if (!named.has(name)) named.set(name, command);
  }
  return named;
}

/** Lists all slash names for the command line. */
export function commandLineItems(commands: readonly BoundCommand[]): ListItem[] {
  return [...commandsByName(commands)]
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([slash, command]) => {
      const name = slash.slice(1);
      const short = Object.keys(aliases).filter((alias) => aliases[alias] === name);
      return {
        value: command.id,
        title: name,
        note: [command.title, ...short].join(", "),
        completion: `${name} `,
        isDim: !command.isValid(),
      };
    });
}

/** Returns the item for a line typed as a command: `scale chat 1..6`, with or without a slash. */
export function typedItem(commands: readonly BoundCommand[], text: string): ListItem | undefined {
  const line = `/${text.replace(/^[:/]/, "")}`;
  const found = findTyped(commands, line);
  if (found === undefined) return undefined;
  const { command, argument } = found;
  // Without an argument it is the same as the command's own item.
  const value = argument === "" ? command.id : line;
  return { value, title: line, note: command.title, isDim: !command.isValid() };
}

/** Returns the command of an item, and its typed argument. */
export function commandOfItem(commands: readonly BoundCommand[], value: string) {
  const command = commands.find(({ id }) => id === value);
  return command === undefined ? findTyped(commands, value) : { command, argument: "" };
}

/** Returns all keys and slash names of a command, as help and documentation show them. */
export function callsOf(command: CommandFacts): string[] {
  return [...slashUsages(command), ...command.keys];
}

/** Drops commands of the frame whose keys and names are all taken by the screen. */
export function joinCommands(
  screen: readonly BoundCommand[],
  frame: readonly BoundCommand[],
): BoundCommand[] {
  const taken = new Set(screen.flatMap(callsOf));
  return [
    ...screen,
    ...frame.filter((command) => callsOf(command).some((call) => !taken.has(call))),
  ];
}

/** Groups that lists begin with. */
const firstGroups = ["Often used", "Commands"];
/** Cursor and scroll keys, which users do not search by name. */
const unnamedGroups = new Set(["Editing", "Scrolling", "Single-line fields"]);

function groupRank(group: string): number {
  const first = firstGroups.indexOf(group);
  if (first !== -1) return first;
  return firstGroups.length + Number(unnamedGroups.has(group));
}

/** Lists all commands in groups for the help; invalid ones are dim and come last. */
export function helpItems(commands: readonly BoundCommand[]): ListItem[] {
  const names = new Set(commands.map(({ group }) => group));
  const groups = [...names].sort((a, b) => groupRank(a) - groupRank(b));
  return groups.flatMap((group) =>
    commands
      .filter((command) => command.group === group)
      .map((command) => ({ ...itemOf(command), group, isDim: !command.isValid() }))
      .toSorted((a, b) => Number(a.isDim) - Number(b.isDim)),
  );
}

/**
 * Lists commands for the palette: those of the current screen and the frame, then those of other
 * screens.
 */
export function paletteItems(
  commands: readonly BoundCommand[],
  others: readonly Pick<Screen, "title" | "commands">[],
): ListItem[] {
  const here = helpItems(commands.filter(({ group }) => !unnamedGroups.has(group)));
  const titles = new Set(here.map(({ title }) => title));
  const elsewhere = others.flatMap((screen) =>
    screen
      .commands()
      .filter(({ group, title }) => !unnamedGroups.has(group) && !titles.has(title))
      .map((command): ListItem => {
        const note = [screen.title, callsOf(command).join(", ")].filter((part) => part !== "");
        return { ...itemOf(command), group: screen.title, note: note.join(": ") };
      }),
  );
  return [...here, ...elsewhere];
}

function itemOf(command: BoundCommand): ListItem {
  const { id, title, slash = [], slashArguments, keywords = [] } = command;
  const [name] = slash;
  const takesWords = name !== undefined && slashArguments !== undefined;
  return {
    value: id,
    title,
    note: callsOf(command).join(", "),
    names: [...slash.map((each) => each.slice(1)), ...keywords],
    ...(takesWords && { completion: `${name.slice(1)} ` }),
  };
}

/** Returns as many hints as fit; the last one, which leads to the others, is always shown. */
export function fitHints(hints: readonly Hint[], width: number): readonly Hint[] {
  const widthOf = ([key, word]: Hint) => textWidth(`${key} ${word}`);
  const last = hints.at(-1);
  if (last === undefined) return [];
  const shown: Hint[] = [];
  let left = width - widthOf(last);
  for (const hint of hints.slice(0, -1)) {
    const needed = widthOf(hint) + hintGap.length;
    if (needed > left) continue;
    shown.push(hint);
    left -= needed;
  }
  return [...shown, last];
}

/** Gap between two hints. */
export const hintGap = "  ";

/** Returns the hints of all valid commands. */
export function hintsOf(commands: readonly BoundCommand[]): Hint[] {
  return commands.flatMap((command) => {
    const hint = command.hint();
    const [call] = [...command.keys, ...(command.slash ?? [])];
    if (hint === undefined || call === undefined || !command.isValid()) return [];
    return [typeof hint === "string" ? [call, hint] : hint];
  });
}
