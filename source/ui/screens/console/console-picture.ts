// The console as rows: deployments above; below them replicas, keys and the log.

import type { BodySize, ScreenPicture, StyledRow } from "../../frame/screen.ts";
import { besides, innerHeight } from "../../panes/box.ts";
import {
  appsBox,
  bannerRows,
  detailsBox,
  emptyBox,
  keysBox,
  logsBox,
  madeRows,
  type Pictured,
  replicasBox,
} from "./console-boxes.ts";
import type { ConsoleFacts } from "./console-facts.ts";
import type { ConsoleState, Pane } from "./console-state.ts";

/** From this size on all panes are in sight. */
const allPanesColumns = 100;
const allPanesRows = 24;
/** Replicas and keys, where the log is below them. */
const middleHeight = 9;
const smallMiddleHeight = 7;
/** With fewer rows below the table there is room for one pane alone. */
const twoPanesRows = 13;
/** Borders, header and a row of notes. */
const tableExtra = 4;
const tableMinimum = 6;

/** Of each pane as it is in sight; 0 for one that is not. */
type Heights = Readonly<Record<Pane, number>>;

export function consolePicture(facts: ConsoleFacts, size: BodySize): ScreenPicture {
  const banner = bannerRows(facts, size.columns);
  const made = madeRows(facts, size.columns);
  const left = { columns: size.columns, rows: size.rows - banner.length - made.length };
  const { rows, cursor } = bodyPicture(facts, left);
  return {
    rows: [...banner, ...rows, ...made],
    ...(cursor !== undefined && { cursor: { x: cursor.x, y: cursor.y + banner.length } }),
  };
}

/** Rows of the focused pane's list that are in sight at a time. */
export function listRows(
  { pane, isZoomed }: ConsoleState,
  size: BodySize,
  appCount: number,
): number {
  const height = isZoomed ? size.rows : heightsOf(size, appCount, pane)[pane];
  const header = pane === "logs" ? 0 : 1;
  return Math.max(1, innerHeight(height) - header);
}

function bodyPicture(facts: ConsoleFacts, size: BodySize): Pictured {
  const { state, apps, appCount, glyphs } = facts;
  const { columns } = size;
  if (state.details !== undefined) return { rows: detailsBox(facts, size) };
  if (appCount === 0 && state.pane !== "keys") return { rows: emptyBox(facts, size) };
  if (state.isZoomed) return panePicture(state.pane, facts, size);
  const heights = heightsOf(size, apps.length, state.pane);
  const at = (pane: Pane, width: number): Pictured =>
    heights[pane] === 0
      ? { rows: [] }
      : panePicture(pane, facts, { columns: width, rows: heights[pane] });
  if (!hasAllPanes(size)) {
    return stack((["apps", "replicas", "keys", "logs"] as const).map((pane) => at(pane, columns)));
  }
  const half = Math.floor(columns / 2);
  const left = at("replicas", half).rows;
  const right = at("keys", columns - half).rows;
  const middle = besides(left, right, half, glyphs.ellipsis);
  return stack([at("apps", columns), { rows: middle }, at("logs", columns)]);
}

function hasAllPanes({ columns, rows }: BodySize): boolean {
  return columns >= allPanesColumns && rows >= allPanesRows;
}

/** The table takes what it needs, up to a half; the log what is left. */
function heightsOf(size: BodySize, apps: number, pane: Pane): Heights {
  const { rows } = size;
  const wanted = Math.max(tableMinimum, apps + tableExtra);
  if (hasAllPanes(size)) {
    const top = Math.min(wanted, Math.max(tableMinimum, Math.floor((rows - middleHeight) / 2)));
    const logs = rows - top - middleHeight;
    return { apps: top, replicas: middleHeight, keys: middleHeight, logs };
  }
  const top = Math.min(wanted, Math.floor(rows / 2));
  const below = rows - top;
  const none = { apps: top, replicas: 0, keys: 0, logs: 0 };
  if (pane !== "apps") return { ...none, [pane]: below };
  if (below < twoPanesRows) return { ...none, replicas: below };
  return { ...none, replicas: smallMiddleHeight, logs: below - smallMiddleHeight };
}

function stack(parts: readonly Pictured[]): Pictured {
  const rows: StyledRow[] = [];
  let cursor: Pictured["cursor"];
  for (const part of parts) {
    if (part.cursor !== undefined) cursor = { ...part.cursor, y: part.cursor.y + rows.length };
    rows.push(...part.rows);
  }
  return { rows, ...(cursor !== undefined && { cursor }) };
}

function panePicture(pane: Pane, facts: ConsoleFacts, size: BodySize): Pictured {
  switch (pane) {
    case "apps":
      return appsBox(facts, size);
    case "replicas":
      return { rows: replicasBox(facts, size) };
    case "keys":
      return { rows: keysBox(facts, size) };
    case "logs":
      return logsBox(facts, size);
  }
}
