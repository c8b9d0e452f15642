// The program in a window: tabs, the current screen, overlay, hints.

import { Box } from "ink";
import type { ReactElement } from "react";
import { HintBar, noticeRows } from "../components/hint-bar.tsx";
import { Line, Lines } from "../components/line.tsx";
import { Overlay } from "../components/overlay.tsx";
import { TabBar } from "../components/tab-bar.tsx";
import { CursorGuard, Origin } from "../components/text-cursor.tsx";
import type { Frame, FrameView } from "../frame/frame.ts";
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
  const view = useFrame(frame);
  const { current, notice, overlay } = view;
  const { columns, rows } = size;
  if (current !== undefined && isTooSmall(size, current.smallestWindow)) {
    return <TooSmall view={view} size={size} />;
  }
  const body = bodySize(size);
  const tabs = tabRows(size);
  const noticeHeight = notice === undefined ? hintRows : noticeRows(notice, columns).length;
  const bodyRows = body.rows - (noticeHeight - hintRows);
  const hasOverlay = overlay !== undefined;
  // Inline, a screen may be smaller than its space; an overlay needs all of it.
  const height = isInline && !hasOverlay ? { maxHeight: bodyRows } : { height: bodyRows };
  return (
    <Box flexDirection="column" width={columns} {...(!isInline && { height: rows })}>
      {tabs > 0 && <TabBar view={view} columns={columns} />}
      <Box width={columns} flexShrink={0} overflowY="hidden" {...height}>
        <Origin x={0} y={tabs}>
          <CursorGuard isCovered={hasOverlay}>
            {current !== undefined ? (
              <current.Body key={current.id} {...body} />
            ) : (
              view.isStarting && <Starting />
            )}
          </CursorGuard>
          {hasOverlay && <Overlay overlay={overlay} size={body} />}
        </Origin>
      </Box>
      <HintBar notice={notice} hints={view.hints} columns={columns} />
    </Box>
  );
}

function Starting(): ReactElement {
  return (
    <Box paddingTop={1} paddingLeft={1}>
      <Line runs={[{ text: `${glyphs.working} starting`, tone: "dim" }]} />
    </Box>
  );
}

interface TooSmallProps {
  readonly view: FrameView;
  readonly size: BodySize;
}

/** Shows the required size, the screen that fits, and the status meanwhile. */
function TooSmall({ view, size }: TooSmallProps): ReactElement {
  const { columns, rows } = size;
  const needed = view.current?.smallestWindow ?? usualMinimum;
  const fitting = view.screens.find(({ smallestWindow }) => !isTooSmall(size, smallestWindow));
  const lines = [
    `Too small: ${columns}x${rows}`,
    `needs ${needed.columns}x${needed.rows}`,
    ...(fitting === undefined ? [] : [`Alt+${tabNumber(fitting.id)}: ${fitting.title}`]),
    ...view.statusParts,
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
      <Lines
        rows={lines.map((text, index) => [
          { text, tone: index === 0 ? "warning" : index === 1 ? "plain" : "dim" },
        ])}
      />
    </Box>
  );
}
