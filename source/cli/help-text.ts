// What `PROGRAM --help`, `PROGRAM COMMAND --help` and, for commands of two words, `PROGRAM FIRST --help` print.
import {
  type CommandDefinitionOf,
  commandsBelow,
  type FlagTable,
  type Program,
  typedNameIn,
} from "./program.ts";

/** @param title the first line */
export function programHelp<Table extends FlagTable>(
  program: Program<Table>,
  title: string,
): string {
  const { commands, start, notes } = program;
  const all = [start, ...commands.filter(({ isHidden }) => !isHidden)];
  return `
  ${title}

Usage
${usages(program, all)}

${notes}
`;
}

/** Of the commands that share their first word. */
export function groupHelp<Table extends FlagTable>(
  program: Program<Table>,
  title: string,
  first: string,
): string {
  return `
  ${title}

Usage
${usages(program, commandsBelow(program, first))}

${program.name} ${first} WORD --help tells a command's flags.
`;
}

export function commandHelp<Table extends FlagTable>(
  program: Program<Table>,
  title: string,
  command: CommandDefinitionOf<Table>,
): string {
  const { aliases, shorts = {}, flags, summary } = command;
  const also = aliases === undefined ? "" : `\n  also: ${program.name} ${aliases.join(", ")}\n`;
  const rows = [...flags, ...program.commonFlags].map((name) => {
    const { value, bare, text } = program.flagTable[name] ?? { text: "" };
    const long = `--${typedNameIn(program.flagTable, name)}`;
    const short = Object.entries(shorts).find(([, flag]) => flag === name)?.[0];
    const typed = bare === undefined ? `${long}${value ? ` ${value}` : ""}` : `${long}[=${value}]`;
    return [short === undefined ? typed : `-${short}, ${typed}`, text] as const;
  });
  return `
  ${title}

Usage
  ${usageOf(program, command)}
  ${summary}
${also}
Flags
${columns([...rows, ["--help", "this text"]])}
`;
}

/** Every flag's text is told somewhere: a flag that no command takes is a mistake. */
export function unusedFlags<Table extends FlagTable>(program: Program<Table>): string[] {
  const { flagTable, commands, start, commonFlags } = program;
  const used = new Set<string>([start, ...commands].flatMap(({ flags }) => flags));
  for (const name of commonFlags) used.add(name);
  return Object.keys(flagTable).filter((name) => !used.has(name));
}

function usages<Table extends FlagTable>(
  program: Program<Table>,
  commands: readonly CommandDefinitionOf<Table>[],
): string {
  return columns(commands.map((command) => [usageOf(program, command), command.summary] as const));
}

function usageOf<Table extends FlagTable>(
  program: Program<Table>,
  { name, words }: CommandDefinitionOf<Table>,
): string {
  return [program.name, name, words].filter((part) => part !== "").join(" ");
}

function columns(rows: ReadonlyArray<readonly [string, string]>): string {
  const width = Math.max(...rows.map(([left]) => left.length)) + 3;
  return rows.map(([left, right]) => `  ${left.padEnd(width)}${right}`).join("\n");
}
