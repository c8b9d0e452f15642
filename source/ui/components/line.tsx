// A row of styled text: a single `Text` with a nested one for each run.

import { Text } from "ink";
import { memo, type ReactElement } from "react";
import type { Theme } from "../frame/themes.ts";
import { useLook } from "../hooks/use-look.ts";
import { visibleText } from "../text/neutralise.ts";
import type { TextRun } from "../text/text-run.ts";

export interface LineProps {
  readonly runs: readonly TextRun[];
  /** Read out in place of the text. */
  readonly "aria-label"?: string;
  readonly "aria-hidden"?: boolean;
}

/** Redrawn only when a run changes: comparing them costs less than React and Ink do. */
export const Line = memo(function Line({ runs, ...aria }: LineProps): ReactElement {
  const { theme } = useLook();
  return (
    <Text wrap="truncate" {...aria}>
      {runs.length === 0 ? " " : runs.map((run, index) => runElement(run, index, theme))}
    </Text>
  );
}, isSameLine);

function runElement({ text, tone, ...colors }: TextRun, key: number, theme: Theme) {
  const shown = visibleText(text);
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
    before["aria-label"] === after["aria-label"] &&
    before["aria-hidden"] === after["aria-hidden"] &&
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
