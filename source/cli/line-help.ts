// Help of the line chat, generated from the command table.

import type { Command } from "../ui/screens/chat/commands/command.ts";
import { commandTable, slashUsages } from "../ui/screens/chat/commands/command-table.ts";
import { textWidth, truncateText } from "../ui/text/graphemes.ts";
import { wrapLine } from "../ui/text/wrap-line.ts";

const labelCells = 30;

/** Keys that readline handles. */
const shortcuts: readonly (readonly [keys: string, title: string])[] = [
  ["Enter", "Send"],
  ["Tab", "Complete a /command or a path"],
  ["Up, Down", "Previous and next message"],
  ["Ctrl+A, Ctrl+E", "Start and end of the line"],
  ["Alt+B, Alt+F", "Word left, word right"],
  ["Ctrl+W, Ctrl+K, Ctrl+U", "Delete the word before, to the end, to the start"],
  ["Ctrl+C", "Stop generating or clear the input; press twice to quit"],
  ["Ctrl+D", "Quit, on an empty line"],
];

/** @param topic one of Ollama's: `set` and `show` narrow the list, `shortcuts` lists keys */
export function helpRows(width: number, topic = ""): string[] {
  if (topic === "shortcuts") {
    return shortcuts.flatMap(([keys, title]) => labelled(keys, title, width));
  }
  const commands = commandTable.filter((command) => isAbout(command, topic));
  const rows = commands.flatMap((command) =>
    labelled(slashUsages(command).join(", "), command.title, width),
  );
  if (topic !== "") return rows;
  return [
    ...rows,
    "",
    ...wrapLine('A message of several lines stands between """ and """.', width).map(textOf),
    ...wrapLine("A message that starts with // is sent with one / less.", width).map(textOf),
  ];
}

function textOf({ text }: { text: string }): string {
  return text;
}

function isAbout({ slash = [] }: Command, topic: string): boolean {
  if (topic === "set" || topic === "show")
    return slash.some((name) => name.startsWith(`/${topic}`));
  return slash.length > 0;
}

function labelled(label: string, title: string, width: number): string[] {
  const titles = wrapLine(title, Math.max(10, width - labelCells)).map(textOf);
  const indented = titles.map((text) => " ".repeat(labelCells) + text);
  const head = `  ${label}`;
  if (textWidth(head) >= labelCells) return [truncateText(head, width, ""), ...indented];
  return indented.map((row, index) => (index === 0 ? head.padEnd(labelCells) + titles[0] : row));
}
