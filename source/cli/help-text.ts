// What `modelctl --help` and `modelctl COMMAND --help` print.
import { type CommandDefinition, commandTable, startCommand } from "./command-table.ts";
import { flagDefinition, flagTable, typedName } from "./flags.ts";

const exitCodeText = `Exit codes: 0 ok, 1 unexpected, 2 usage, 3 not found, 4 refused, 5 port or name taken,
6 model failed to load, 7 timeout, 8 server unreachable, 130 interrupted`;

/** @param title the first line */
export function programHelp(title: string): string {
  const all = [startCommand, ...commandTable.filter(({ isHidden }) => !isHidden)];
  const usages = all.map((command) => [usageOf(command), command.summary] as const);
  return `
  ${title}

Usage
${columns(usages)}

MODEL is tiny (built in), a name of your own, hf.co/OWNER/REPO[:QUANT], or the path of a .gguf file.
Text on standard input goes in front of PROMPT.

modelctl COMMAND --help tells a command's flags. --version

${exitCodeText}
`;
}

export function commandHelp(title: string, command: CommandDefinition): string {
  const aliases =
    command.aliases === undefined ? "" : `\n  also: modelctl ${command.aliases.join(", ")}\n`;
  const flags = command.flags.map((name) => {
    const { value, bare, text } = flagDefinition(name);
    const long = `--${typedName(name)}`;
    const short = Object.entries(command.shorts ?? {}).find(([, flag]) => flag === name)?.[0];
    const typed = bare === undefined ? `${long}${value ? ` ${value}` : ""}` : `${long}[=${value}]`;
    return [short === undefined ? typed : `-${short}, ${typed}`, text] as const;
  });
  return `
  ${title}

Usage
  ${usageOf(command)}
  ${command.summary}
${aliases}
Flags
${columns([...flags, ["--help", "this text"]])}
`;
}

/** Every flag's text is told somewhere: a flag that no command takes is a mistake. */
export function unusedFlags(): string[] {
  const used = new Set([startCommand, ...commandTable].flatMap(({ flags }) => flags));
  return Object.keys(flagTable).filter((name) => !(used as Set<string>).has(name));
}

function usageOf({ name, words }: CommandDefinition): string {
  return ["modelctl", name, words].filter((part) => part !== "").join(" ");
}

function columns(rows: ReadonlyArray<readonly [string, string]>): string {
  const width = Math.max(...rows.map(([left]) => left.length)) + 3;
  return rows.map(([left, right]) => `  ${left.padEnd(width)}${right}`).join("\n");
}
