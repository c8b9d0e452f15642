// The program in a window: tabs, the current screen, overlay, hints.

import { Box } from "ink";
import type { ReactElement } from "react";
import { HintBar, noticeRows } from "../components/hint-bar.tsx";
import { Overlay } from "../components/overlay.tsx";
import { TabBar } from "../components/tab-bar.tsx";
import { Text } from "../components/text.tsx";
import { CursorGuard, Origin } from "../components/text-cursor.tsx";
import type { Frame } from "../frame/frame.ts";
import { type BodySize, tabNumber } from "../frame/screen.ts";
import { bodySize, hintRows, isTooSmall, tabRows, usualMinimum } from "../frame/window-size.ts";
import { useLook } from "../hooks/use-look.ts";
import { useFrame, useFrameSize } from "../hooks/use-store.ts";
import { cutText } from "../text/text-run.ts";
import { glyphs } from "../theme.ts";

export function FullScreen({ frame }: { readonly frame: Frame }): ReactElement {
  const { layout } = useLook();
  const isInline = layout === "inline";
  const size = useFrameSize(frame);
  const { notice } = useFrame(frame);
  const hasOverlay = frame.overlay !== undefined;
  const { columns, rows } = size;
  if (frame.isTooSmall) return <TooSmall frame={frame} size={size} />;
  const body = bodySize(size);
  const tabs = tabRows(size);
  const noticeHeight = notice === undefined ? hintRows : noticeRows(notice, columns).length;
  const bodyRows = body.rows - (noticeHeight - hintRows);
  // Inline, a screen may be smaller than its space; an overlay needs all of it.
  const height = isInline && !hasOverlay ? { maxHeight: bodyRows } : { height: bodyRows };
  return (
    <Box flexDirection="column" width={columns} {...(!isInline && { height: rows })}>
      {tabs > 0 && <TabBar frame={frame} columns={columns} />}
      <Box width={columns} flexShrink={0} overflowY="hidden" {...height}>
        <Origin x={0} y={tabs}>
          <CursorGuard isCovered={hasOverlay}>
            <CurrentScreen frame={frame} size={body} />
          </CursorGuard>
          <CurrentOverlay frame={frame} size={body} />
        </Origin>
      </Box>
      <HintBar frame={frame} columns={columns} />
    </Box>
  );
}

interface BodyProps {
  readonly frame: Frame;
  /** Cells to draw. */
  readonly size: BodySize;
}

function CurrentScreen({ frame, size }: BodyProps): ReactElement | null {
  const { theme } = useLook();
  const { current, isStarting } = useFrame(frame);
  if (current !== undefined) return <current.Body key={current.id} {...size} />;
  if (!isStarting) return null;
  return (
    <Box paddingTop={1} paddingLeft={1}>
      <Text {...theme.dim}>{`${glyphs.working} starting`}</Text>
    </Box>
  );
}

function CurrentOverlay({ frame, size }: BodyProps): ReactElement | null {
  const { overlay } = useFrame(frame);
  return overlay === undefined ? null : <Overlay overlay={overlay} size={size} />;
}

/** Shows the required size, the screen that fits, and the status meanwhile. */
function TooSmall({ frame, size }: BodyProps): ReactElement {
  const { theme } = useLook();
  const { columns, rows } = size;
  const needed = frame.current?.smallestWindow ?? usualMinimum;
  const fitting = frame.screens.find(({ smallestWindow }) => !isTooSmall(size, smallestWindow));
  const lines = [
    `Too small: ${columns}x${rows}`,
    `needs ${needed.columns}x${needed.rows}`,
    ...(fitting === undefined ? [] : [`Alt+${tabNumber(fitting.id)}: ${fitting.title}`]),
    ...frame.statusParts,
  ]
    .slice(0, Math.max(1, rows))
    .map((line) => cutText(line, columns));
  return (
    <Box
      flexDirection="column"
      width={columns}
      height={rows}
      alignItems="center"
      justifyContent="center"
    >
      {lines.map((line, index) => (
        <Text key={line} {...theme[index === 0 ? "warning" : index === 1 ? "plain" : "dim"]}>
          {line}
        </Text>
      ))}
    </Box>
  );
}
