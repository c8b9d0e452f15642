// A box with a title in its upper border and a note in its lower one.

import { Box } from "ink";
import type { ReactElement, ReactNode } from "react";
import { useLook } from "../hooks/use-look.ts";
import { cutText } from "../text/text-run.ts";
import { glyphs, type Tone } from "../theme.ts";
import { Text } from "./text.tsx";
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

export function panelInnerHeight(height: number): number {
  return Math.max(0, height - 2);
}

/** Cuts content at the bottom if it does not fit. */
export function Panel(props: PanelProps): ReactElement {
  const { width, height, title = "", footer = "", isFocused = false, x = 0, y = 0 } = props;
  const { theme } = useLook();
  const { color, dimColor = false } = isFocused ? theme.focus : theme.border;
  return (
    <Box width={width} height={height} flexShrink={0}>
      {props.isOpaque && <Backdrop width={width} height={height} />}
      <Box
        flexDirection="column"
        width={width}
        height={height}
        overflowY="hidden"
        paddingX={1}
        borderStyle={boxStyle()}
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
      <BorderLabel edge="top" label={title} width={width} tone={isFocused ? "title" : "dim"} />
      <BorderLabel edge="bottom" label={footer} width={width} tone="dim" />
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

interface BorderLabelProps {
  readonly edge: "top" | "bottom";
  readonly label: string;
  /** Cells of the border, corners included. */
  readonly width: number;
  readonly tone: Tone;
}

/** Writes over the border of the box before it: at the left of the upper edge or the right of the lower one. */
function BorderLabel({ edge, label, width, tone }: BorderLabelProps): ReactElement | null {
  const { theme } = useLook();
  const room = width - 6;
  if (label === "" || room < 1) return null;
  const place = edge === "top" ? { top: 0, left: 2 } : { bottom: 0, right: 2 };
  return (
    <Box position="absolute" {...place}>
      <Text {...theme[tone]}>{` ${cutText(label, room)} `}</Text>
    </Box>
  );
}

function boxStyle() {
  const { horizontal, vertical, ...corners } = glyphs.box;
  return { ...corners, top: horizontal, bottom: horizontal, left: vertical, right: vertical };
}
