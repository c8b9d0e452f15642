// Layout of the console: the places of the panes, and the visible rows of a list.

import { panelInnerHeight } from "../../components/panel.tsx";
import type { BodySize } from "../../frame/screen.ts";
import { type ConsoleState, hasBanner, type Pane, panes, shownApps } from "./console-state.ts";

/** Size from which all panes are visible. */
const allPanesColumns = 100;
const allPanesRows = 24;
/** Replicas and keys, where the log is below them. */
const middleHeight = 9;
const smallMiddleHeight = 7;
/** With fewer rows below the table only one pane fits. */
const twoPanesRows = 13;
/** Borders, header and a row of notes. */
const tableExtra = 4;
const tableMinimum = 6;
/** The panel with a new key. */
export const newKeyHeight = 5;

/** A pane's place and contents. */
export interface PaneProps {
  readonly state: ConsoleState;
  readonly width: number;
  readonly height: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Panes side by side, each with the same width. */
interface PaneRow {
  readonly panes: readonly Pane[];
  /** The first row below the banner. */
  readonly top: number;
  readonly height: number;
}

/** Returns the room between the banner and a new key. @param now milliseconds since 1970 */
export function contentSize(state: ConsoleState, size: BodySize, now: number): BodySize {
  const banner = hasBanner(state, now) ? 1 : 0;
  const newKey = state.made === undefined ? 0 : newKeyHeight;
  return { columns: size.columns, rows: size.rows - banner - newKey };
}

/**
 * Gives the table what it needs, up to a half, and the log the rest. Without room for all panes, the
 * focused one is below the table. A pane that Tab does not reach replaces those between table and log.
 */
export function paneRows(state: ConsoleState, { columns, rows }: BodySize): readonly PaneRow[] {
  const { pane, isZoomed } = state;
  if (isZoomed) return stacked(row(rows, pane));
  const wanted = Math.max(tableMinimum, shownApps(state).length + tableExtra);
  if (columns >= allPanesColumns && rows >= allPanesRows) {
    const table = Math.min(wanted, Math.max(tableMinimum, Math.floor((rows - middleHeight) / 2)));
    const middle: readonly Pane[] = panes.includes(pane) ? ["replicas", "keys"] : [pane];
    const log = rows - table - middleHeight;
    return stacked(row(table, "apps"), row(middleHeight, ...middle), row(log, "logs"));
  }
  const table = Math.min(wanted, Math.floor(rows / 2));
  const below = rows - table;
  if (pane !== "apps") return stacked(row(table, "apps"), row(below, pane));
  if (below < twoPanesRows) return stacked(row(table, "apps"), row(below, "replicas"));
  const log = below - smallMiddleHeight;
  return stacked(row(table, "apps"), row(smallMiddleHeight, "replicas"), row(log, "logs"));
}

function row(height: number, ...names: readonly Pane[]): Omit<PaneRow, "top"> {
  return { panes: names, height };
}

function stacked(...rows: readonly Omit<PaneRow, "top">[]): PaneRow[] {
  let top = 0;
  return rows.map((one) => {
    const placed = { ...one, top };
    top += one.height;
    return placed;
  });
}

/** Returns the visible rows of the focused pane's list. */
export function listRows(state: ConsoleState, size: BodySize): number {
  const { pane } = state;
  const header = pane === "logs" ? 0 : 1;
  const { height = 0 } = paneRows(state, size).find(({ panes }) => panes.includes(pane)) ?? {};
  return Math.max(1, panelInnerHeight(height) - header);
}
