// First row: the program, a tab for each screen, and the status on the right.

import { Box } from "ink";
import type { ReactElement } from "react";
import { textWidth } from "../../base/graphemes.ts";
import type { FrameView } from "../frame/frame.ts";
import { tabNumber, tabs } from "../frame/screen.ts";
import { cutText, harmlessRow, type TextRun } from "../text/text-run.ts";
import { Line } from "./line.tsx";

const margin = 1;
/** Cells between tabs and status. */
const gap = 2;

export interface TabBarProps {
  readonly view: FrameView;
  readonly columns: number;
}

export function TabBar({ view, columns }: TabBarProps): ReactElement {
  const current = view.current?.id;
  const shown = view.isStarting ? tabs : view.screens;
  const labelsOf = (areNamed: boolean): string[] =>
    shown.map((tab) => {
      const number = tabNumber(tab.id);
      const label = areNamed || tab.id === current ? `${number} ${tab.title}` : String(number);
      return tab.id === current ? `[${label}]` : ` ${label} `;
    });
  const program = ` ${view.program} `;
  const widthOf = (title: string, labels: readonly string[]) =>
    textWidth(title) + labels.reduce((sum, label) => sum + 1 + textWidth(label), 0);
  const named = labelsOf(true);
  // Drops the program's name before the names of tabs.
  const [title, labels] =
    widthOf(program, named) <= columns
      ? [program, named]
      : widthOf("", named) <= columns
        ? ["", named]
        : [program, labelsOf(false)];
  const room = Math.max(0, columns - widthOf(title, labels) - gap - margin);
  const runs: readonly TextRun[] = [
    { text: title, tone: "title" },
    ...labels.flatMap((label, index): TextRun[] => [
      { text: " ", tone: "plain" },
      { text: label, tone: shown[index]?.id === current ? "tab" : "plain" },
    ]),
  ];
  return (
    <Box width={columns} height={1} flexShrink={0} justifyContent="space-between">
      <Line runs={runs} />
      <Box flexShrink={0} paddingRight={margin}>
        <Line runs={[{ text: statusText(view.statusParts, room), tone: "plain" }]} />
      </Box>
    </Box>
  );
}

/** A shorter piece of an address is useless. */
const shortestStatus = 8;

/** Drops parts until the rest fits, the least important first. */
function statusText(statusParts: readonly string[], room: number): string {
  // A part may be a model's name.
  const parts = statusParts.map(harmlessRow);
  while (parts.length > 1 && textWidth(parts.join("  ")) > room) parts.shift();
  const text = parts.join("  ");
  // The port identifies a local server.
  const short = textWidth(text) > room ? text.replace("127.0.0.1:", ":") : text;
  if (textWidth(short) > room && room < shortestStatus) return "";
  return cutText(short, room);
}
