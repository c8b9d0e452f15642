// The log of the selected deployment: the newest lines, or the ones scrolled to.

import { memo, type ReactElement } from "react";
import { timeOfDay } from "../../../base/quantities.ts";
import type { LogDocument } from "../../../cloud/admin/documents.ts";
import { TextLine } from "../../components/line.tsx";
import { FilteredPanel } from "../../components/list-pane.tsx";
import { panelInnerHeight, panelInnerWidth } from "../../components/panel.tsx";
import { Text } from "../../components/text.tsx";
import { useLook } from "../../hooks/use-look.ts";
import { useStore } from "../../hooks/use-store.ts";
import { cutText, wrapText } from "../../text/text-run.ts";
import { glyphs } from "../../theme.ts";
import type { PaneProps } from "./console-layout.ts";
import { selectedApp } from "./console-state.ts";
import { shortReplica, shownName, withoutColours } from "./console-texts.ts";
import type { LogBuffer } from "./log-buffer.ts";

/** Time, replica and sign, in front of a text. */
const headWidth = 8 + 1 + 8 + 3;

export interface LogPaneProps extends Omit<PaneProps, "now"> {
  readonly log: LogBuffer;
  /** Its first row in the body. */
  readonly y: number;
}

/** Redraws when the log changes, as often as `useStore` allows. */
export function LogPane({ state, log, width, height, y }: LogPaneProps): ReactElement {
  useStore(log, (version) => version);
  const isFocused = state.pane === "logs";
  const room = { width: panelInnerWidth(width), height: panelInnerHeight(height) };
  const rows = logRows(log, room, state.isWrapped);
  const app = selectedApp(state);
  const { text, stream, replica } = log.filters;
  const title = [
    ...(app === undefined ? [] : [shownName(app, state.cloud.status?.organisation)]),
    "log",
    ...(replica === undefined ? [] : [shortReplica(replica)]),
    ...(stream === "all" ? [] : [stream]),
  ];
  const place = log.isFollowing
    ? [`${log.shownCount} lines`, "FOLLOW"]
    : [`+${log.missed}`, "End follows"];
  const separator = ` ${glyphs.separator} `;
  return (
    <FilteredPanel
      title={title.join(separator)}
      filter={text}
      field={isFocused ? state.field : undefined}
      footer={place.join(separator)}
      isFocused={isFocused}
      width={width}
      height={height}
      y={y}
    >
      {rows.length === 0 && (
        <TextLine
          text={`  ${log.keptCount === 0 ? "No log lines yet." : "No matching lines. Esc shows all."}`}
          tone="dim"
          width={room.width}
        />
      )}
      {rows.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: in a flood new rows cost more than new texts
        <LogRow key={index} {...row} />
      ))}
    </FilteredPanel>
  );
}

/** A line of the log, or a part of a long one. */
interface LogRowProps {
  readonly line: LogDocument;
  /** True if time and replica precede the text. */
  readonly isFirst: boolean;
  readonly text: string;
}

const LogRow = memo(function LogRow({ line, isFirst, text }: LogRowProps): ReactElement {
  const { theme } = useLook();
  const { ts, replica, stream } = line;
  return (
    <Text wrap="truncate">
      {isFirst ? (
        <>
          <Text {...theme.dim}>{`${timeOfDay(ts)} ${shortReplica(replica).padEnd(8)} `}</Text>
          {/* Programs write most of their ordinary output on stderr, so it has no sign. */}
          {stream === "event" ? <Text {...theme.key}>* </Text> : "  "}
        </>
      ) : (
        " ".repeat(headWidth)
      )}
      {text}
    </Text>
  );
});

interface Room {
  readonly width: number;
  readonly height: number;
}

/** Draws only the visible rows, newest at the bottom. */
function logRows(log: LogBuffer, room: Room, isWrapped: boolean): LogRowProps[] {
  const rows = log.window(room.height).flatMap(({ line }) => {
    if (isWrapped) return wrappedRows(line, room);
    const width = Math.max(0, room.width - headWidth);
    const text = cutText(shownText(line, room.width * 2), width);
    return [{ line, isFirst: true, text }];
  });
  return rows.slice(-room.height);
}

function wrappedRows(line: LogDocument, { width, height }: Room): LogRowProps[] {
  const room = Math.max(1, width - headWidth);
  const pieces = wrapText(shownText(line, room * height), room);
  return pieces.map(({ text }, index) => ({ line, isFirst: index === 0, text }));
}

/** Returns the beginning of a line, without colours and line breaks. A line may have a megabyte. */
function shownText({ text }: LogDocument, length: number): string {
  return withoutColours(text.slice(0, length)).replaceAll(/[\r\n]+/g, " ");
}
