// A call as people read it: server, tool, and each argument on its line, with marks.
import os from "node:os";
import path from "node:path";
import { harmlessText } from "../base/harmless-text.ts";
import type { CallQuestion } from "./toolbox.ts";

const maxLineLength = 400;

/** Returns the lines of a question: a title, the arguments, and warnings. */
export function callLines(
  { tool, arguments: values, isFromText }: CallQuestion,
  folder: string,
): string[] {
  const effect = tool.isReadOnly ? " (reads only, says its server)" : "";
  const lines = [`${tool.server}: ${tool.name}${effect}`];
  for (const [name, value] of Object.entries(values)) {
    const [first = "", ...more] = valueText(value).split("\n");
    const leaves = tool.alwaysAsks
      ? commandLeavesFolder(value, folder)
      : leavesFolder(value, folder);
    const mark = leaves ? "  (outside this folder)" : "";
    lines.push(`  ${name}: ${cut(first)}${mark}`, ...more.map((line) => `    ${cut(line)}`));
  }
  if (isFromText) lines.push("The model wrote this call as plain text: it may quote somebody.");
  return lines.map((line) => harmlessText(line));
}

function valueText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value, undefined, 2) ?? "");
}

function cut(line: string): string {
  if (line.length <= maxLineLength) return line;
  const rest = line.length - maxLineLength;
  return `${line.slice(0, maxLineLength).toWellFormed()}… (${rest} more characters)`;
}

/** True for a path, or a list with one, that leads out of a folder. */
export function leavesFolder(value: unknown, folder: string): boolean {
  if (Array.isArray(value)) return value.some((item) => leavesFolder(item, folder));
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
