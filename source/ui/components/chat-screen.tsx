// The full screen: header, transcript, composer, status and keys, each in its fixed place.

import { Box, Text } from "ink";
import type { ReactElement } from "react";
import type { Glyphs } from "../theme.ts";
import type { ScreenView } from "../view/screen-model.ts";
import { Composer } from "./composer.tsx";
import { RowBlock } from "./rows.tsx";

export interface ChatScreenProps {
  readonly view: ScreenView;
  readonly glyphs: Glyphs;
}

/** Paints a view; everything that needs thought is in the view already. */
export function ChatScreen({ view, glyphs }: ChatScreenProps): ReactElement {
  const { layout } = view;
  if (layout.isTooSmall) return <TooSmallCard view={view} />;
  const bodyRows = layout.transcriptRows - (view.below === undefined ? 0 : 1);
  return (
    <Box flexDirection="column" width={layout.columns} height={layout.rows} overflow="hidden">
      <Box flexShrink={0} height={1} paddingX={1} justifyContent="space-between">
        <Text bold wrap="truncate">
          {view.headerLeft}
        </Text>
        <Text wrap="truncate">{view.headerRight}</Text>
      </Box>
      <RowBlock rows={view.body} height={bodyRows} />
      {view.below === undefined ? null : (
        <Box flexShrink={0} height={1} justifyContent="center">
          <Text color="yellow" wrap="truncate">
            {view.below}
          </Text>
        </Box>
      )}
      <Composer view={view.composer} layout={layout} glyphs={glyphs} />
      <RowBlock rows={view.status} height={layout.statusRows} />
      <RowBlock rows={[{ text: view.hints, tone: "dim" }]} height={1} />
    </Box>
  );
}

function TooSmallCard({ view }: { view: ScreenView }): ReactElement {
  const { columns, rows } = view.layout;
  return (
    <Box
      width={columns}
      height={rows}
      alignItems="center"
      justifyContent="center"
      overflow="hidden"
    >
      <Box flexDirection="column" flexShrink={0} alignItems="center">
        {view.body.map((row) => (
          <Text key={row.text} wrap="truncate">
            {row.text}
          </Text>
        ))}
      </Box>
    </Box>
  );
}
