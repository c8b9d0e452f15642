// The log of the selected deployment: the newest lines, or the ones scrolled to.

import type { ReactElement } from "react";
import { timeOfDay } from "../../../base/quantities.ts";
import type { LogDocument } from "../../../cloud/admin/documents.ts";
import { Lines, TextLine } from "../../components/line.tsx";
import { FilteredPanel } from "../../components/list-pane.tsx";
import { panelInnerHeight, panelInnerWidth } from "../../components/panel.tsx";
import { useStore } from "../../hooks/use-store.ts";
import { cutText, harmlessRun, type TextRow, wrapText } from "../../text/text-run.ts";
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
      <Lines rows={rows} />
    </FilteredPanel>
  );
}

/** @param isFirst false for the rest of a long line, which has no time and replica */
function logRow({ ts, replica, stream }: LogDocument, text: string, isFirst: boolean): TextRow {
  if (!isFirst) return [{ text: " ".repeat(headWidth) + text, tone: "plain" }];
  return [
    harmlessRun(`${timeOfDay(ts)} ${shortReplica(replica).padEnd(8)} `, "dim"),
    // Programs write most of their ordinary output on stderr, so it has no sign.
    stream === "event" ? { text: "* ", tone: "key" } : { text: "  ", tone: "plain" },
    { text, tone: "plain" },
  ];
}

interface Room {
  readonly width: number;
  readonly height: number;
}

/** Draws only the visible rows, newest at the bottom. */
function logRows(log: LogBuffer, room: Room, isWrapped: boolean): TextRow[] {
  const rows = log.window(room.height).flatMap(({ line }) => {
    if (isWrapped) return wrappedRows(line, room);
    const width = Math.max(0, room.width - headWidth);
    return [logRow(line, cutText(shownText(line, room.width * 2), width), true)];
  });
  return rows.slice(-room.height);
}

function wrappedRows(line: LogDocument, { width, height }: Room): TextRow[] {
  const room = Math.max(1, width - headWidth);
  const pieces = wrapText(shownText(line, room * height), room);
  return pieces.map(({ text }, index) => logRow(line, text, index === 0));
}

/** Returns the beginning of a line, without colours and line breaks. A line may have a megabyte. */
function shownText({ text }: LogDocument, length: number): string {
  return withoutColours(text.slice(0, length)).replaceAll(/[\r\n]+/g, " ");
}
