// What is made from lists of commands: the command of a key, rows for help and palette, hints.

import { textWidth } from "../text/graphemes.ts";
import type { BoundCommand, CommandFacts, ListItem, Screen } from "./screen.ts";

/** Where two share a key the first one that is valid gets it. */
export function findByKey(
  commands: readonly BoundCommand[],
  key: string,
): BoundCommand | undefined {
  return commands.find((command) => command.keys.includes(key) && command.isValid());
}

/** The command of a typed line such as `/set system TEXT`, and the words behind its name. */
export function findBySlash(
  commands: readonly BoundCommand[],
  line: string,
): { command: BoundCommand; argument: string } | undefined {
  const text = line.trim();
  // Of `/set` and `/set system` the longer one is meant.
  const named = commands
    .flatMap((command) => (command.slash ?? []).map((name) => ({ command, name })))
    .filter(({ name }) => text === name || text.startsWith(`${name} `))
    .toSorted((a, b) => b.name.length - a.name.length)[0];
  if (named === undefined) return undefined;
  return { command: named.command, argument: text.slice(named.name.length).trim() };
}

/** Stands between a command's id and the words for it in the value of an item. */
const wordsMark = " ";

/** Short names of the command line, as k9s and vi have them. */
const aliases: Readonly<Record<string, string>> = {
  c: "chat",
  m: "models",
  s: "server",
  d: "deploy",
  k: "console",
  q: "bye",
};

/** The line with its alias, such as `q`, written out. */
export function withoutAlias(line: string): string {
  const [word = "", ...rest] = line.trim().split(" ");
  return [aliases[word] ?? word, ...rest].join(" ");
}

/** For the command line: every name to type; where two commands share one, the first. */
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

/** What a line means that is typed as a command: `scale chat 1..6`, with or without a slash. */
export function typedItem(commands: readonly BoundCommand[], text: string): ListItem | undefined {
  const line = `/${text.replace(/^[:/]/, "")}`;
  const found = findBySlash(commands, line);
  if (found === undefined) return undefined;
  const { command, argument } = found;
  const value = command.id + wordsMark + argument;
  return { value, title: line, note: command.title, isDim: !command.isValid() };
}

/** The command of an item, and the words that were typed for it. */
export function commandOfItem(
  commands: readonly BoundCommand[],
  value: string,
): { command: BoundCommand; argument: string } | undefined {
  const [id = ""] = value.split(wordsMark, 1);
  const command = commands.find((candidate) => candidate.id === id);
  return command && { command, argument: value.slice(id.length + wordsMark.length) };
}

/** All ways to call a command, as help and documentation tell them. */
export function callsOf({ slash = [], slashArguments, keys }: CommandFacts): string[] {
  const usages = slash.map((name) =>
    slashArguments === undefined ? name : `${name} ${slashArguments}`,
  );
  return [...usages, ...keys];
}

/** Without the commands of the frame whose every call is taken by one of the screen. */
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

/** These move a cursor or a view: nobody looks for them by name. */
const unnamedGroups = new Set(["Editing", "Scrolling", "Fields of one line"]);

/** For the help: everything, in groups; what cannot be done now is dim. */
export function helpItems(commands: readonly BoundCommand[]): ListItem[] {
  const names = new Set(commands.map(({ group }) => group));
  const groups = [...names].sort(
    (a, b) => Number(unnamedGroups.has(a)) - Number(unnamedGroups.has(b)),
  );
  return groups.flatMap((group) =>
    commands
      .filter((command) => command.group === group)
      .map((command) => ({ ...itemOf(command), group, isDim: !command.isValid() })),
  );
}

/** For the palette: the commands of the screen in sight and the frame, and below them every other screen's. */
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

/** A key with the word for what it does now. */
export type Hint = readonly [key: string, word: string];

/** As many hints as fit; the last one leads to all others and is always there. */
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

/** Stands between two hints. */
export const hintGap = "  ";

/** The hints of the commands that can be given now. */
export function hintsOf(commands: readonly BoundCommand[]): Hint[] {
  return commands.flatMap((command) => {
    const word = command.hint();
    const call = command.keys[0] ?? command.slash?.[0];
    if (word === undefined || call === undefined || !command.isValid()) return [];
    return [[call, word] as const];
  });
}
