// The console for screen readers: changed states and new events once, and the current selection.

import { Box, Text } from "ink";
import type { ReactElement } from "react";
import { toOneLine } from "../../../base/display-text.ts";
import { timeOfDay } from "../../../base/quantities.ts";
import type { AppDocument, EventDocument } from "../../../cloud/admin/documents.ts";
import { useStore } from "../../hooks/use-store.ts";
import { harmlessRow } from "../../text/text-run.ts";
import {
  type ConsoleState,
  selectedApp,
  selectedKey,
  selectedReplica,
  selectedRow,
  shownNodes,
} from "./console-state.ts";
import {
  keyName,
  logLineText,
  replicasOn,
  sharingText,
  shortReplica,
  shortRevision,
  shownName,
  stateWord,
  withoutColours,
} from "./console-texts.ts";
import { detailLabelWidth, detailRows } from "./detail-lines.ts";
import type { LogBuffer } from "./log-buffer.ts";

/** Events and log lines that are read out. */
const readEvents = 20;
const readLogLines = 20;
const detailsWidth = 160;

export interface ConsoleReaderProps {
  readonly state: ConsoleState;
  readonly log: LogBuffer;
}

/** Short, since every change reads all of it again. */
export function ConsoleReader({ state, log }: ConsoleReaderProps): ReactElement {
  const logFilter = useStore(log, () => log.filters.text);
  const { cloud, pane, made } = state;
  const { link, target } = cloud;
  const answer =
    link.kind === "down" ? link.sentence : link.kind === "up" ? "connected" : "connecting";
  const filter = pane === "logs" ? logFilter : state.filter;
  const app = selectedApp(state);
  const item = selectedItem(state);
  return (
    <Box flexDirection="column">
      <Text>{`Control plane, ${target.place}: ${harmless(answer)}`}</Text>
      <Text>{`Pane: ${pane}${filter === "" ? "" : `, filter ${harmless(filter)}`}`}</Text>
      {app !== undefined && (
        <Text>{harmless(`Selected: ${shownName(app, cloud.status?.organisation)}`)}</Text>
      )}
      {item !== undefined && <Text>{item}</Text>}
      {made !== undefined && <Text>{`New key, shown only once: ${made.document.token}`}</Text>}
    </Box>
  );
}

/** Returns all lines to read out; leaves out rates, which change all the time. */
export function readerLines(state: ConsoleState, log: LogBuffer, now: number): string[] {
  const { cloud, pane, details } = state;
  if (details !== undefined) {
    const rows = detailRows(details.facts, { width: detailsWidth, now });
    return rows.map(({ label, text }) =>
      text === undefined ? label : harmless(label.padEnd(detailLabelWidth) + text),
    );
  }
  return [
    ...cloud.apps.map((app) => readApp(app, cloud.status?.organisation)),
    ...cloud.events.slice(-readEvents).map(readEvent),
    ...(pane === "logs"
      ? log.window(readLogLines).map(({ line }) => harmless(withoutColours(logLineText(line))))
      : []),
  ];
}

function readApp(app: AppDocument, organisation: string | undefined): string {
  const { replicas, scale, activeRevision, traffic, state, reason } = app;
  const shares = traffic?.revisions.map(sharingText).join("; ");
  const parts = [
    `${shownName(app, organisation)}: ${stateWord(state)}`,
    `${replicas.ready} of at most ${scale.maxConcurrency} replicas ready`,
    `revision ${shortRevision(activeRevision) ?? "none"}`,
    ...(shares === undefined ? [] : [shares]),
    ...(reason === undefined ? [] : [reason]),
  ];
  return harmless(parts.join(", "));
}

function readEvent({ at, app, sentence }: EventDocument): string {
  return harmless(`${timeOfDay(at)} ${app}: ${sentence}`);
}

/** Returns the selected replica, node or key of the focused pane. */
function selectedItem(state: ConsoleState): string | undefined {
  if (state.pane === "replicas") {
    const replica = selectedReplica(state);
    return (
      replica && harmless(`Replica: ${shortReplica(replica.replica)}, ${stateWord(replica.state)}`)
    );
  }
  if (state.pane === "nodes") {
    const node = shownNodes(state)[selectedRow(state, "nodes")];
    if (node === undefined) return undefined;
    const replicas = replicasOn(node.name, state.cloud.replicas) || "no replicas";
    return harmless(`Node: ${node.name}, ${node.isLost ? "lost" : node.free}, ${replicas}`);
  }
  const key = state.pane === "keys" ? selectedKey(state) : undefined;
  return key && harmless(`Key: ${keyName(key)}, ${key.state}`);
}

function harmless(text: string): string {
  return harmlessRow(toOneLine(text));
}
