// A call as people read it: server, tool, and each argument on its lines, with marks.
import os from "node:os";
import path from "node:path";
import { harmlessText } from "../../base/harmless-text.ts";
import type { CallQuestion } from "../../tools/toolbox.ts";

export type { CallQuestion, Decision } from "../../tools/toolbox.ts";

const maxLineLength = 400;
const maxValueLines = 12;
/** Arguments that are command lines: each of their words may be a path. */
const commandNames = /^(?:command|cmd|script)$/i;

/** Server and name of a call, as the transcript and questions have them. */
export interface NamedCall {
  /** Empty for a tool that does not exist. */
  readonly server: string;
  /** The tool's own name, or the one that the model used. */
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** An argument of a call, ready to be shown. */
export interface ShownArgument {
  readonly name: string;
  /** At least one; long ones are cut, and many are folded. */
  readonly lines: readonly string[];
  /** It has a path that leads out of the working folder. */
  readonly isOutside: boolean;
}

export const outsideMark = "(outside this folder)";
export const fromTextWarning = "The model wrote this call as plain text: it may quote somebody.";

/** `weather: get_weather`; a model may have called it `weather__get_weather`. */
export function callTitle({ server, name }: Pick<NamedCall, "server" | "name">): string {
  if (server === "") return harmlessText(name);
  const prefix = `${server}__`;
  return harmlessText(`${server}: ${name.startsWith(prefix) ? name.slice(prefix.length) : name}`);
}

/** @param folder paths that lead out of it are marked */
export function shownArguments(
  { arguments: values }: Pick<NamedCall, "arguments">,
  folder: string,
): ShownArgument[] {
  return Object.entries(values).map(([argument, value]) => {
    const all = harmlessText(valueText(value)).split("\n");
    const lines = all.slice(0, maxValueLines).map(cut);
    const rest = all.length - lines.length;
    return {
      name: harmlessText(argument).replaceAll("\n", " "),
      lines: rest > 0 ? [...lines, `… ${rest} more lines`] : lines,
      isOutside:
        leavesFolder(value, folder) ||
        (commandNames.test(argument) && commandLeavesFolder(value, folder)),
    };
  });
}

/** Returns a call on one line, to be read out: `weather: get_weather, city Paris`. */
export function spokenCall(call: NamedCall, folder?: string): string {
  const values = shownArguments(call, folder ?? path.sep).map(
    ({ name, lines, isOutside }) =>
      `, ${name} ${lines.join(" ")}${isOutside && folder !== undefined ? ` ${outsideMark}` : ""}`,
  );
  return callTitle(call) + values.join("");
}

/** Returns the lines of a question in the line chat: a title, the arguments, and warnings. */
export function callLines(
  { tool, arguments: values, isFromText }: CallQuestion,
  folder: string,
): string[] {
  const effect = tool.isReadOnly ? " (reads only, says its server)" : "";
  const call = { server: tool.server, name: tool.name, arguments: values };
  const lines = [`${callTitle(call)}${effect}`];
  for (const { name, lines: texts, isOutside } of shownArguments(call, folder)) {
    const [first = "", ...more] = texts;
    lines.push(`  ${name}: ${first}${isOutside ? `  ${outsideMark}` : ""}`);
    lines.push(...more.map((line) => `    ${line}`));
  }
  if (isFromText) lines.push(fromTextWarning);
  return lines;
}

function valueText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value, undefined, 2) ?? "");
}

function cut(line: string): string {
  if (line.length <= maxLineLength) return line;
  const rest = line.length - maxLineLength;
  return `${line.slice(0, maxLineLength).toWellFormed()}… (${rest} more characters)`;
}

/** True for a path that leads out of a folder, or a value with one in it. */
export function leavesFolder(value: unknown, folder: string): boolean {
  if (typeof value === "object" && value !== null) {
    return Object.values(value).some((item) => leavesFolder(item, folder));
  }
  if (typeof value !== "string") return false;
  const text = value.replace(/^file:\/\//, "");
  if (!/^(?:[/~\\]|[A-Za-z]:[/\\]|\.\.?(?:[/\\]|$))|[/\\]\.\.(?:[/\\]|$)/.test(text)) return false;
  const home = /^~(?=$|[/\\])/;
  const target = path.resolve(folder, text.replace(home, os.homedir()));
  const relative = path.relative(folder, target);
  return relative === ".." || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative);
}

/** True for a command line with such a path. */
function commandLeavesFolder(command: unknown, folder: string): boolean {
  if (typeof command !== "string") return false;
  return leavesFolder(command.split(/[\s"'`=:;|&<>(){}]+/), folder);
}
