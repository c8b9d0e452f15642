// A box with a title in its upper border and a note in its lower one.

import { Box, Text, useIsScreenReaderEnabled } from "ink";
import type { ReactElement, ReactNode } from "react";
import { useLook } from "../hooks/use-look.ts";
import { textWidth, truncateText } from "../text/graphemes.ts";
import { visibleText } from "../text/neutralise.ts";
import type { Glyphs } from "../theme.ts";
import { Origin } from "./text-cursor.tsx";

export interface PanelProps {
  /** Cells and rows of the whole panel, borders included. */
  readonly width: number;
  readonly height: number;
  readonly title?: string;
  /** At the right end of the lower border. */
  readonly footer?: string;
  /** A panel with the focus has a brighter border. */
  readonly isFocused?: boolean;
  /** Its upper left corner from the nearest `Origin`; needed if a field inside has the cursor. */
  readonly x?: number;
  readonly y?: number;
  /** Covers the content beneath: an absolute box is otherwise transparent. */
  readonly isOpaque?: boolean;
  readonly children?: ReactNode;
}

/** Returns the cells inside a panel: without borders, and without a blank on each side. */
export function panelInnerWidth(width: number): number {
  return Math.max(0, width - 4);
}

/** Returns the rows inside a panel. */
export function panelInnerHeight(height: number): number {
  return Math.max(0, height - 2);
}

/** Cuts content at the bottom if it does not fit. Screen readers get the title and the content. */
export function Panel(props: PanelProps): ReactElement {
  const { width, height, title = "", footer = "", isFocused = false, x = 0, y = 0 } = props;
  const { glyphs, theme } = useLook();
  if (useIsScreenReaderEnabled()) {
    return (
      <Box flexDirection="column">
        {title !== "" && <Text>{title}</Text>}
        {props.children}
      </Box>
    );
  }
  const { color, dimColor = false } = isFocused ? theme.focus : theme.border;
  return (
    <Box flexDirection="column" width={width} height={height} flexShrink={0}>
      {props.isOpaque && <Backdrop width={width} height={height} />}
      <PanelBorder edge="top" label={title} width={width} isFocused={isFocused} />
      <Box
        flexDirection="column"
        height={panelInnerHeight(height)}
        flexShrink={0}
        overflowY="hidden"
        paddingX={1}
        borderStyle={boxStyle(glyphs)}
        borderTop={false}
        borderBottom={false}
        {...(color !== undefined && { borderColor: color })}
        borderDimColor={dimColor}
      >
        {/* Yoga would otherwise shrink some rows to nothing. */}
        <Box flexDirection="column" flexGrow={1} flexShrink={0}>
          <Origin x={x + 2} y={y + 1}>
            {props.children}
          </Origin>
        </Box>
      </Box>
      <PanelBorder edge="bottom" label={footer} width={width} isFocused={isFocused} />
    </Box>
  );
}

function Backdrop({ width, height }: { width: number; height: number }): ReactElement {
  const row = " ".repeat(width);
  return (
    <Box position="absolute">
      <Text>{Array<string>(height).fill(row).join("\n")}</Text>
    </Box>
  );
}

interface PanelBorderProps {
  readonly edge: "top" | "bottom";
  readonly label: string;
  readonly width: number;
  readonly isFocused: boolean;
}

function PanelBorder({ edge, label, width, isFocused }: PanelBorderProps): ReactElement {
  const { glyphs, theme } = useLook();
  const { box, ellipsis } = glyphs;
  const isTop = edge === "top";
  const [left, right] = isTop ? [box.topLeft, box.topRight] : [box.bottomLeft, box.bottomRight];
  const room = Math.max(0, width - 2);
  const line = isFocused ? theme.focus : theme.border;
  if (label === "" || room < 5) {
    return (
      <Text {...line} wrap="truncate">
        {left + box.horizontal.repeat(room) + right}
      </Text>
    );
  }
  const shown = ` ${visibleText(truncateText(label, room - 4, ellipsis))} `;
  const rest = Math.max(0, room - 1 - textWidth(shown));
  const [before, after] = isTop ? [1, rest] : [rest, 1];
  return (
    <Text wrap="truncate">
      <Text {...line}>{left + box.horizontal.repeat(before)}</Text>
      <Text {...(isTop && isFocused ? theme.title : theme.dim)}>{shown}</Text>
      <Text {...line}>{box.horizontal.repeat(after) + right}</Text>
    </Text>
  );
}

function boxStyle({ box }: Glyphs) {
  const { topLeft, topRight, bottomLeft, bottomRight, horizontal, vertical } = box;
  return {
    topLeft,
    topRight,
    bottomLeft,
    bottomRight,
    top: horizontal,
    bottom: horizontal,
    left: vertical,
    right: vertical,
  };
}
