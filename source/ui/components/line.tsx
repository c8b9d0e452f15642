// Rows of text: one `Text` per row, so that a screen can count them.

import { Text } from "ink";
import { memo, type ReactElement } from "react";
import { drawableText } from "../../base/harmless-text.ts";
import type { Theme } from "../frame/themes.ts";
import { useLook } from "../hooks/use-look.ts";
import { cutText, type TextRow, type TextRun, wrapText } from "../text/text-run.ts";
import type { Tone } from "../theme.ts";

export interface LineProps {
  readonly runs: TextRow;
  /** In front of the runs. */
  readonly lead?: TextRun | undefined;
}

/** Draws again only when a run changes: comparing runs costs less than React and Ink do. */
export const Line = memo(function Line({ runs, lead }: LineProps): ReactElement {
  const { theme } = useLook();
  return (
    <Text wrap="truncate">
      {lead && runElement(lead, -1, theme)}
      {runs.length === 0 ? " " : runs.map((run, index) => runElement(run, index, theme))}
    </Text>
  );
}, isSameLine);

export interface LinesProps {
  readonly rows: readonly TextRow[];
  /** First visible row, and the one after the last; clamped to the rows. */
  readonly from?: number;
  readonly to?: number;
  /** In front of each row that is not blank. */
  readonly lead?: TextRun;
}

/** Draws rows below each other, or only the visible ones, which keep their components. */
export function Lines({ rows, from = 0, to = rows.length, lead }: LinesProps): ReactElement {
  const first = Math.max(0, from);
  return (
    <>
      {rows.slice(first, Math.max(0, to)).map((runs, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity but their position
        <Line key={first + index} runs={runs} lead={runs.length === 0 ? undefined : lead} />
      ))}
    </>
  );
}

export interface TextLineProps {
  /** Untrusted text: control characters become visible. */
  readonly text: string;
  readonly tone: Tone;
  readonly width: number;
}

/** Draws a row of text in one tone, cut to the width. */
export function TextLine({ text, tone, width }: TextLineProps): ReactElement {
  const { theme } = useLook();
  return (
    <Text {...theme[tone]} wrap="truncate">
      {cutText(text, width)}
    </Text>
  );
}

/** Wraps untrusted text into rows. The tone defaults to plain. */
export type Paragraph = (text: string, tone?: Tone) => readonly ReactElement[];

/** @param width maximum width of a row, in cells */
export function useParagraph(width: number): Paragraph {
  return (text, tone = "plain") =>
    wrapText(text, width).map((row) => <Line key={row.start} runs={[{ text: row.text, tone }]} />);
}

function runElement({ text, tone, ...colors }: TextRun, key: number, theme: Theme) {
  const shown = drawableText(text);
  if (tone === "plain" && colors.color === undefined && colors.backgroundColor === undefined) {
    return shown;
  }
  return (
    <Text key={key} {...theme[tone]} {...colors}>
      {shown}
    </Text>
  );
}

function isSameLine(before: LineProps, after: LineProps): boolean {
  return (
    before.lead === after.lead &&
    (before.runs === after.runs ||
      (before.runs.length === after.runs.length &&
        before.runs.every((run, index) => isSameRun(run, after.runs[index]))))
  );
}

function isSameRun(run: TextRun, other: TextRun | undefined): boolean {
  return (
    run.text === other?.text &&
    run.tone === other.tone &&
    run.color === other.color &&
    run.backgroundColor === other.backgroundColor
  );
}
