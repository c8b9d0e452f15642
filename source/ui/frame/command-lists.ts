// Command lookups and lists: keys, slash names, help, palette and hints.

import { textWidth } from "../../base/graphemes.ts";
import type { CommandFacts } from "../../chat/commands/command.ts";
import type { BoundCommand, ListItem, Screen } from "./screen.ts";

/** Finds the first valid command of a key. */
export function findByKey(
  commands: readonly BoundCommand[],
  key: string,
): BoundCommand | undefined {
  return commands.find((command) => command.keys.includes(key) && command.isValid());
}

/** Finds the command of a typed line such as `/set system TEXT`, and its argument. */
export function findBySlash(
  commands: readonly BoundCommand[],
  line: string,
): { command: BoundCommand; argument: string } | undefined {
  const text = line.trim();
  // `/set system` wins over `/set`.
  const named = commands
    .flatMap((command) => (command.slash ?? []).map((name) => ({ command, name })))
    .filter(({ name }) => text === name || text.startsWith(`${name} `))
    .toSorted((a, b) => b.name.length - a.name.length)[0];
  if (named === undefined) return undefined;
  return { command: named.command, argument: text.slice(named.name.length).trim() };
}

/** Separates a command's id from its argument in an item's value. */
const wordsMark = " ";

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

/** Lists all slash names for the command line; the first command wins a shared name. */
export function commandLineItems(commands: readonly BoundCommand[]): ListItem[] {
  const named = commands.flatMap((command) =>
    (command.slash ?? []).map((slash) => [slash.slice(1), command] as const),
  );
  const first = new Map(named.toReversed());
  return [...first]
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([name, command]) => {
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
  const found = findBySlash(commands, line);
  if (found === undefined) return undefined;
  const { command, argument } = found;
  const value = command.id + wordsMark + argument;
  return { value, title: line, note: command.title, isDim: !command.isValid() };
}

/** Returns the command of an item, and its typed argument. */
export function commandOfItem(
  commands: readonly BoundCommand[],
  value: string,
): { command: BoundCommand; argument: string } | undefined {
  const [id = ""] = value.split(wordsMark, 1);
  const command = commands.find((candidate) => candidate.id === id);
  return command && { command, argument: value.slice(id.length + wordsMark.length) };
}

/** Returns all keys and slash names of a command, as help and documentation show them. */
export function callsOf({ slash = [], slashArguments, keys }: CommandFacts): string[] {
  const usages = slash.map((name) =>
    slashArguments === undefined ? name : `${name} ${slashArguments}`,
  );
  return [...usages, ...keys];
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

/** A key and a word for its effect. */
export type Hint = readonly [key: string, word: string];

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
    const word = command.hint();
    const call = command.keys[0] ?? command.slash?.[0];
    if (word === undefined || call === undefined || !command.isValid()) return [];
    return [[call, word] as const];
  });
}
