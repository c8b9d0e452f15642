// Renders docs/cli.md from the definitions of both programs' commands.
import { deployctlProgram } from "../source/cli/cloud/deployctl-program.ts";
import { modelctlProgram } from "../source/cli/modelctl-program.ts";
import {
  type Command,
  type FlagTable,
  type Program,
  usageOf,
} from "../source/cli/program/definition.ts";
import { exampleText, exitRows, flagRows, programText } from "../source/cli/program/help-text.ts";

/** @param notice says that the page is generated */
export function renderCommands(notice: string): string {
  const pages = [modelctlProgram, deployctlProgram].map(programPage);
  return [
    "# Command line",
    notice,
    "Commands and flags of `modelctl` and `deployctl`, as printed by `modelctl COMMAND --help`. A value follows its flag after a space or `=`, and `--` ends the flags:",
    '```sh\nmodelctl run tiny --seed=1 -- "--help is a question here"\n```',
    ...pages,
  ]
    .join("\n\n")
    .concat("\n");
}

function programPage(program: Program): string {
  const { name, title, groups, start, commonFlags } = program;
  return [
    `## ${name}`,
    `${name}: ${title}.`,
    ...(Object.keys(commonFlags).length === 0
      ? []
      : [`Flags of every ${name} command:`, flagTable(commonFlags)]),
    commandSection(program, start),
    ...groups.flatMap(({ title: group, commands }) => [
      `### ${group}`,
      ...commands.filter(({ isHidden }) => !isHidden).map((it) => commandSection(program, it)),
    ]),
  ].join("\n\n");
}

function commandSection(program: Program, command: Command): string {
  const { name, summary, details, aliases = [], examples, exitCodes } = command;
  const own = Object.entries(command.flags).filter(
    ([flag]) => !Object.hasOwn(program.commonFlags, flag),
  );
  const usage = [usageOf(program, command), ...aliases.map((alias) => `${program.name} ${alias}`)];
  return [
    name === "" ? `### ${program.name} without a command` : `#### ${program.name} ${name}`,
    `${summary}.`,
    ...(details === undefined ? [] : [programText(program, details)]),
    `\`\`\`text\n${usage.join("\n")}\n\`\`\``,
    ...(own.length === 0 ? [] : [flagTable(Object.fromEntries(own))]),
    `\`\`\`sh\n${examples.map((line) => exampleText(program, line)).join("\n")}\n\`\`\``,
    ...(exitCodes === undefined
      ? []
      : [
          `Exit codes: ${exitRows(command)
            .map(([code, text]) => `${code} ${lowerFirst(text)}`)
            .join(", ")}.`,
        ]),
  ].join("\n\n");
}

function flagTable(flags: FlagTable): string {
  const rows = flagRows(flags).map(([left, right]) => `| \`${inCell(left)}\` | ${inCell(right)} |`);
  return ["| flag | meaning |", "| --- | --- |", ...rows].join("\n");
}

function inCell(text: string): string {
  return text.replaceAll("|", "\\|");
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
