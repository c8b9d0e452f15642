// The field that messages are written in.

import { Box, Text, useCursor } from "ink";
import type { ReactElement } from "react";
import type { Glyphs } from "../theme.ts";
import type { ScreenLayout } from "../view/screen-layout.ts";
import type { ComposerView } from "../view/screen-model.ts";

export interface ComposerProps {
  readonly view: ComposerView;
  readonly layout: ScreenLayout;
  readonly glyphs: Glyphs;
}

/** Draws the field and puts the terminal's own cursor into it: input methods open there. */
export function Composer({ view, layout, glyphs }: ComposerProps): ReactElement {
  const { setCursorPosition } = useCursor();
  setCursorPosition(view.cursor);
  return (
    <Box
      flexShrink={0}
      height={layout.composerTextRows + 2}
      width={layout.columns}
      borderStyle={glyphs.isAscii ? "classic" : "round"}
      borderColor="blueBright"
      paddingX={1}
    >
      <Box flexShrink={0} width={2}>
        <Text bold>{glyphs.prompt}</Text>
      </Box>
      <Box flexDirection="column" flexShrink={0} width={layout.columns - 6} overflow="hidden">
        {view.placeholder === undefined ? (
          view.rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place on the screen
            <Text key={index} wrap="truncate">
              {row === "" ? " " : row}
            </Text>
          ))
        ) : (
          <Text dimColor>{view.placeholder}</Text>
        )}
      </Box>
    </Box>
  );
}
