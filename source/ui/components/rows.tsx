// Rows of text: the only form in which anything reaches the screen.

import { Box, Text } from "ink";
import type { ReactElement } from "react";
import { type Row, toneStyles } from "../theme.ts";

/** One row. It is cut, never wrapped: a second row would push the others out of their places. */
export function TextRow({ row }: { row: Row }): ReactElement {
  return (
    <Text {...toneStyles[row.tone]} wrap="truncate">
      {row.text === "" ? " " : row.text}
    </Text>
  );
}

/** A block of exactly `height` rows. */
export function RowBlock({ rows, height }: { rows: readonly Row[]; height: number }): ReactElement {
  return (
    <Box flexDirection="column" flexShrink={0} height={height} paddingX={1} overflow="hidden">
      {rows.slice(0, height).map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place on the screen
        <TextRow key={index} row={row} />
      ))}
    </Box>
  );
}
