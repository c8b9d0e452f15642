// The replicas of a deployment, what is asked of them, and what the autoscaler did and why.

import { toOneLine } from "../../../base/seen-text.ts";
import { formatMilliseconds } from "../../../base/time-format.ts";
import type { EventDocument, ReplicaDocument } from "../../../cloud/admin/documents.ts";
import type { ScaleSettings } from "../../../cloud/app-config.ts";
import type { Span, StyledRow } from "../../frame/screen.ts";
import { bar } from "../../panes/bar.ts";
import { sparkline } from "../../panes/sparkline.ts";
import { fitRow, foreignSpan, textRow } from "../../panes/styled-row.ts";
import { span } from "../../text/quantities.ts";
import type { Glyphs } from "../../theme.ts";
import type { AppFigures } from "./app-figures.ts";
import { visibleFrom } from "./console-state.ts";
import { replicaStateSpan } from "./state-words.ts";

export interface ReplicaPaneFacts {
  readonly replicas: readonly ReplicaDocument[];
  /** -1 for none. */
  readonly selectedIndex: number;
  readonly figures: AppFigures;
  readonly scale: ScaleSettings;
  /** Newest first. */
  readonly events: readonly EventDocument[];
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly glyphs: Glyphs;
}

const stateWidth = 11;
const barWidth = 8;
/** The lines of what is asked. */
const figureRows = 2;
const labelWidth = 10;

/** At most `height` rows: replicas take at most half, so that there is room for the reasons. */
export function replicaPaneRows(
  facts: ReplicaPaneFacts,
  width: number,
  height: number,
): StyledRow[] {
  const { replicas, selectedIndex, events } = facts;
  const room = Math.max(1, Math.min(replicas.length, Math.floor((height - figureRows) / 2)));
  const top = visibleFrom(selectedIndex, replicas.length, room);
  const shown = replicas
    .slice(top, top + room)
    .map((replica, index) => replicaRow(replica, facts, top + index === selectedIndex, width));
  const rows = shown.length > 0 ? shown : [emptyRow(facts)];
  const left = Math.max(0, height - rows.length - figureRows);
  return [
    ...rows,
    ...demandRows(facts, width),
    ...events.slice(0, left).map((event) => eventRow(event, facts.glyphs)),
  ].slice(0, height);
}

export function eventRow({ at, kind, sentence }: EventDocument, glyphs: Glyphs): StyledRow {
  const isBad = /crash|fail|unhealthy|unschedulable|lost/.test(kind);
  return [
    { text: `${timeOfDay(at)} `, tone: "dim" },
    foreignSpan(toOneLine(sentence), isBad ? "warning" : "plain", glyphs.isAscii),
  ];
}

/** The last part of a replica's id tells them apart. */
export function shortReplica(replica: string): string {
  return replica.slice(-8);
}

export function timeOfDay(at: number): string {
  return new Date(at).toTimeString().slice(0, 8);
}

/** What is known of it beside its state: why it ended, how far it is, until when it stays. */
export function replicaNote(replica: ReplicaDocument, now: number): string {
  const { exit, progress, expiresAt, state, startedAt, gpus, coldStartMs } = replica;
  if (exit !== undefined) return toOneLine(exit.sentence);
  if (progress !== undefined && replica.readyAt === undefined) {
    return `${toOneLine(progress)}, for ${span(now - startedAt)}`;
  }
  const parts = [
    ...(state === "IDLE" && expiresAt !== undefined ? [`${span(expiresAt - now)} left`] : []),
    ...(gpus.length > 0 ? [`${gpus.length} GPU${gpus.length === 1 ? "" : "s"}`] : []),
    ...(coldStartMs === undefined ? [] : [`up in ${formatMilliseconds(coldStartMs)}`]),
  ];
  return parts.join(", ");
}

function replicaRow(
  replica: ReplicaDocument,
  { scale, glyphs, now }: ReplicaPaneFacts,
  isSelected: boolean,
  width: number,
): StyledRow {
  const { inFlight, state } = replica;
  const most = scale.maxMultiplexing;
  const sign = replicaStateSpan(state, glyphs);
  const row: Span[] = [
    { text: isSelected ? `${glyphs.marker} ` : "  ", tone: "key" },
    foreignSpan(shortReplica(replica.replica), isSelected ? "selected" : "plain", glyphs.isAscii),
    { text: " ", tone: "plain" },
    ...fitRow([sign], stateWidth, glyphs.ellipsis),
    { text: " ", tone: "plain" },
    ...bar(inFlight / Math.max(1, most), barWidth, glyphs),
    { text: ` ${inFlight}/${most} `, tone: "plain" },
    foreignSpan(replicaNote(replica, now), "dim", glyphs.isAscii),
  ];
  return fitRow(row, width, glyphs.ellipsis);
}

function demandRows({ figures, scale, glyphs }: ReplicaPaneFacts, width: number): StyledRow[] {
  const { inFlight, queued } = figures;
  const target = scale.maxMultiplexing === 1 ? 1 : scale.maxMultiplexing * scale.targetUtilization;
  const line = (label: string, values: readonly number[], note: string): StyledRow => {
    const value = ` ${String(values.at(-1) ?? 0).padStart(3)}  ${note}`;
    const cells = Math.max(0, Math.min(60, width - labelWidth - value.length));
    return [
      { text: label.padEnd(labelWidth), tone: "dim" },
      { text: sparkline(values, cells, glyphs, 1), tone: "good" },
      { text: value, tone: "plain" },
    ];
  };
  return [
    line("in flight", inFlight, `target ${Number(target.toFixed(1))} each`),
    line("queue", queued, "waiting"),
  ];
}

function emptyRow({ scale }: ReplicaPaneFacts): StyledRow {
  const text =
    scale.minConcurrency === 0 && scale.concurrencyBuffer === 0
      ? "  No replica runs; the next request starts one."
      : "  No replica runs.";
  return textRow(text, "dim");
}
