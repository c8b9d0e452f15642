// Empty conversation: the model, its context window and card, and example prompts.

import { Box } from "ink";
import { memo, type ReactElement } from "react";
import type { ModelFacts } from "../../../../client/chat-events.ts";
import { Lines } from "../../../components/line.tsx";
import { cutText, type TextRow, wrapText } from "../../../text/text-run.ts";
import type { Tone } from "../../../theme.ts";

export const defaultExamplePrompts: readonly string[] = [
  "Tell me a short story about a lighthouse.",
  "What is a context window? Answer in two sentences.",
  "Write a haiku about rain.",
];

const blankRow: TextRow = [];

/** Returns the rows of an empty chat, at most `width` cells wide. */
export function emptyChatRows(
  { name, contextLength, card }: ModelFacts,
  examplePrompts: readonly string[],
  width: number,
): readonly TextRow[] {
  const wrapped = (text: string, tone: Tone): TextRow[] =>
    wrapText(text, width).map((row) => [{ text: row.text, tone }]);
  const model = [
    ...wrapped(name, "title"),
    ...(contextLength === undefined
      ? []
      : wrapped(`context window ${contextLength} tokens`, "dim")),
    ...(card === undefined ? [] : wrapped(card, "plain")),
  ];
  if (examplePrompts.length === 0) return model;
  return [
    ...model,
    blankRow,
    ...wrapped("For example (Tab to use one):", "dim"),
    ...examplePrompts.map(
      (prompt): TextRow => [{ text: cutText(`  ${prompt}`, width), tone: "plain" }],
    ),
  ];
}

export interface EmptyChatProps {
  readonly rows: readonly TextRow[];
  /** Number of rows; the rest is cut. */
  readonly height: number;
}

export const EmptyChat = memo(function EmptyChat({ rows, height }: EmptyChatProps): ReactElement {
  return (
    <Box flexDirection="column" height={height} flexShrink={0} paddingX={1}>
      <Lines rows={rows} to={height} />
    </Box>
  );
});
