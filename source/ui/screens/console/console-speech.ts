// The console in words, for screen readers: states and events once, and the current selection.

import { toOneLine } from "../../../base/display-text.ts";
import { timeOfDay } from "../../../base/quantities.ts";
import type { AppDocument, EventDocument } from "../../../cloud/admin/documents.ts";
import type { Spoken } from "../../frame/screen.ts";
import { paneViews } from "./console-panes.ts";
import { type ConsoleState, selectedApp } from "./console-state.ts";
import {
  logLineText,
  sharingText,
  shortRevision,
  shownName,
  stateWord,
  withoutColours,
} from "./console-texts.ts";
import { detailLabelWidth, detailRows } from "./detail-lines.ts";
import type { LogBuffer } from "./log-buffer.ts";

/** Events and log lines that are read out. */
const spokenEvents = 20;
const spokenLogLines = 20;
const detailsWidth = 160;

/** Leaves out rates, which change all the time. @param now milliseconds since 1970 */
export function spokenConsole(state: ConsoleState, log: LogBuffer, now: number): Spoken {
  return { finished: finishedLines(state, log, now), live: liveLines(state, log) };
}

function finishedLines(state: ConsoleState, log: LogBuffer, now: number): string[] {
  const { cloud, pane, details } = state;
  if (details !== undefined) {
    const rows = detailRows(details.facts, { width: detailsWidth, now });
    return rows.map(({ label, text }) =>
      text === undefined ? label : label.padEnd(detailLabelWidth) + text,
    );
  }
  return [
    ...cloud.apps.map((app) => appText(app, cloud.status?.organisation)),
    ...cloud.events.slice(-spokenEvents).map(eventText),
    ...(pane === "logs"
      ? log.window(spokenLogLines).map(({ line }) => toOneLine(withoutColours(logLineText(line))))
      : []),
  ];
}

function liveLines(state: ConsoleState, log: LogBuffer): string[] {
  const { cloud, pane, made } = state;
  const { link, target } = cloud;
  const answer =
    link.kind === "down" ? link.sentence : link.kind === "up" ? "connected" : "connecting";
  const filter = pane === "logs" ? log.filters.text : state.filter;
  const app = selectedApp(state);
  const row = paneViews[pane].spoken?.(state);
  return [
    `Control plane, ${target.place}: ${answer}`,
    `Pane: ${pane}${filter === "" ? "" : `, filter ${filter}`}`,
    ...(app === undefined ? [] : [`Selected: ${shownName(app, cloud.status?.organisation)}`]),
    ...(row === undefined ? [] : [row]),
    ...(made === undefined ? [] : [`New key, shown only once: ${made.document.token}`]),
  ];
}

function appText(app: AppDocument, organisation: string | undefined): string {
  const { replicas, scale, activeRevision, traffic, state, reason } = app;
  const parts = [
    `${shownName(app, organisation)}: ${stateWord(state)}`,
    `${replicas.ready} of at most ${scale.maxConcurrency} replicas ready`,
    `revision ${shortRevision(activeRevision) ?? "none"}`,
    ...(traffic === undefined ? [] : [traffic.revisions.map(sharingText).join("; ")]),
    ...(reason === undefined ? [] : [toOneLine(reason)]),
  ];
  return parts.join(", ");
}

function eventText({ at, app, sentence }: EventDocument): string {
  return `${timeOfDay(at)} ${app}: ${toOneLine(sentence)}`;
}
