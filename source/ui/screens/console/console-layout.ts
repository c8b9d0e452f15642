// Layout of the console: heights of the panes, and the visible rows of a list.

import { panelInnerHeight } from "../../components/panel.tsx";
import type { BodySize } from "../../frame/screen.ts";
import { type ConsoleState, hasBanner, type Pane, shownApps } from "./console-state.ts";

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

/** Height of each pane; 0 for a hidden pane. */
export type PaneHeights = Readonly<Record<Pane, number>>;

/** Returns the room between the banner and a new key. @param now milliseconds since 1970 */
export function contentSize(state: ConsoleState, size: BodySize, now: number): BodySize {
  const banner = hasBanner(state, now) ? 1 : 0;
  const newKey = state.made === undefined ? 0 : newKeyHeight;
  return { columns: size.columns, rows: size.rows - banner - newKey };
}

export function hasAllPanes({ columns, rows }: BodySize): boolean {
  return columns >= allPanesColumns && rows >= allPanesRows;
}

/** Gives the table what it needs, up to a half, and the log the rest. Nodes replace replicas and keys. */
export function paneHeights(state: ConsoleState, size: BodySize): PaneHeights {
  const { pane, isZoomed } = state;
  const { rows } = size;
  const none = { apps: 0, replicas: 0, keys: 0, nodes: 0, logs: 0 };
  if (isZoomed) return { ...none, [pane]: rows };
  const wanted = Math.max(tableMinimum, shownApps(state).length + tableExtra);
  if (hasAllPanes(size)) {
    const top = Math.min(wanted, Math.max(tableMinimum, Math.floor((rows - middleHeight) / 2)));
    const logs = rows - top - middleHeight;
    if (pane === "nodes") return { ...none, apps: top, nodes: middleHeight, logs };
    return { ...none, apps: top, replicas: middleHeight, keys: middleHeight, logs };
  }
  const apps = Math.min(wanted, Math.floor(rows / 2));
  const below = rows - apps;
  if (pane !== "apps") return { ...none, apps, [pane]: below };
  if (below < twoPanesRows) return { ...none, apps, replicas: below };
  return { ...none, apps, replicas: smallMiddleHeight, logs: below - smallMiddleHeight };
}

/** Returns the visible rows of the focused pane's list. */
export function listRows(state: ConsoleState, size: BodySize): number {
  const header = state.pane === "logs" ? 0 : 1;
  return Math.max(1, panelInnerHeight(paneHeights(state, size)[state.pane]) - header);
}
