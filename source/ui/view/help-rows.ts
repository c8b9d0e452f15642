// The help and the hint row, both made from the command table.

import type { Command, CommandGroup, CommandSituation } from "../commands/command.ts";
import { commandTable, slashUsages } from "../commands/command-table.ts";
import { textWidth, truncateText } from "../text/graphemes.ts";
import { wrapLine } from "../text/wrap-line.ts";
import type { Glyphs, Row } from "../theme.ts";

const groups: readonly CommandGroup[] = ["Commands", "Chat", "Scrolling", "Editing"];
const labelCells = 30;

/** All commands by group: how to call them on the left, what they do on the right. */
export function helpRows(width: number): Row[] {
  const rows: Row[] = [];
  for (const group of groups) {
    if (rows.length > 0) rows.push({ text: "", tone: "plain" });
    rows.push({ text: group, tone: "title" });
    const commands = commandTable.filter((command) => command.group === group);
    for (const command of commands) {
      // What works inside the help is told by the hint row.
      if (command.id.startsWith("help.") && command.slash === undefined) continue;
      rows.push(...commandRows(command, width));
    }
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

/** The keys that are valid now, as many as fit. */
export function hintText(situation: CommandSituation, width: number, glyphs: Glyphs): string {
  const separator = ` ${glyphs.separator} `;
  let text = "";
  for (const command of commandTable) {
    const hint = hintOf(command, situation);
    if (hint === undefined) continue;
    const longer = text === "" ? hint : text + separator + hint;
    if (textWidth(longer) > width) continue;
    text = longer;
  }
  return text;
}

function hintOf(command: Command, situation: CommandSituation): string | undefined {
  if (command.hint === undefined) return undefined;
  const isShown = command.hintWhen ?? command.when;
  if (isShown !== undefined && !isShown(situation)) return undefined;
  const label = command.keys[0] ?? command.slash?.[0];
  const word = typeof command.hint === "string" ? command.hint : command.hint(situation);
  return label === undefined ? undefined : `${label} ${word}`;
}
