// The help of the line loop, made from the command table.

import type { Command, CommandGroup } from "../commands/command.ts";
import { commandTable, slashUsages } from "../commands/command-table.ts";
import { textWidth, truncateText } from "../text/graphemes.ts";
import { wrapLine } from "../text/wrap-line.ts";
import type { Row } from "../theme.ts";

const groups: readonly CommandGroup[] = ["Commands", "Chat", "Scrolling", "Editing"];
const labelCells = 30;

/** All commands by group: how to call them on the left, what they do on the right. */
export function helpRows(width: number): Row[] {
  const rows: Row[] = [];
  for (const group of groups) {
    if (rows.length > 0) rows.push({ text: "", tone: "plain" });
    rows.push({ text: group, tone: "title" });
    const commands = commandTable.filter((command) => command.group === group);
    for (const command of commands) rows.push(...commandRows(command, width));
    if (group === "Commands") rows.push(...slashNote(width));
  }
  return rows;
}

function slashNote(width: number): Row[] {
  const note = "A message that starts with // is sent with one / less.";
  return wrapLine(note, width - 2).map(({ text }) => ({ text: `  ${text}`, tone: "plain" }));
}

function commandRows(command: Command, width: number): Row[] {
  const label = `  ${[...slashUsages(command), ...command.keys].join(", ")}`;
  const titles = wrapLine(command.title, Math.max(10, width - labelCells));
  if (textWidth(label) >= labelCells) {
    const titleRows = titles.map(
      ({ text }): Row => ({
        text: " ".repeat(labelCells) + text,
        tone: "plain",
      }),
    );
    return [{ text: truncateText(label, width, ""), tone: "plain" }, ...titleRows];
  }
  return titles.map(
    ({ text }, index): Row => ({
      text: (index === 0 ? label : "").padEnd(labelCells) + text,
      tone: "plain",
    }),
  );
}
