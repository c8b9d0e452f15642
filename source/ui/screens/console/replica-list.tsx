// The replicas of a deployment, the demand on them, and the scaling decisions.

import type { ReactElement } from "react";
import { toOneLine } from "../../../base/display-text.ts";
import { textWidth } from "../../../base/graphemes.ts";
import { timeOfDay } from "../../../base/quantities.ts";
import type {
  AppDocument,
  EventDocument,
  ReplicaDocument,
} from "../../../cloud/admin/documents.ts";
import type { ScaleSettings } from "../../../cloud/app-config.ts";
import { Gauge, Sparkline } from "../../components/bars.tsx";
import { Line, TextLine } from "../../components/line.tsx";
import { Panel, panelInnerHeight, panelInnerWidth } from "../../components/panel.tsx";
import { rowsAround } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { useLook } from "../../hooks/use-look.ts";
import { cutText, fitText, harmlessRow, type TextRun } from "../../text/text-run.ts";
import { glyphs, type Tone } from "../../theme.ts";
import type { AppFigures } from "./app-figures.ts";
import type { PaneProps } from "./console-layout.ts";
import {
  type ConsoleState,
  isOutdated,
  selectedApp,
  selectedReplica,
  shownReplicas,
} from "./console-state.ts";
import {
  nameOf,
  replicaNote,
  shortReplica,
  shownName,
  stateRun,
  stateWord,
} from "./console-texts.ts";

const stateWidth = 11;
const gaugeWidth = 8;
const timeWidth = 9;
/** In flight, and the queue. */
const demandRows = 2;
const demandLabelWidth = 10;
const sparklineWidthMaximum = 60;

/** Gives replicas at most half of the rows, so that events fit too. */
export function ReplicaList({ state, width, height, now }: PaneProps): ReactElement {
  const { cloud, pane } = state;
  const app = selectedApp(state);
  const replicas = shownReplicas(state);
  const selected = pane === "replicas" ? selectedReplica(state) : undefined;
  const [columns, rows] = [panelInnerWidth(width), panelInnerHeight(height)];
  const room = Math.max(1, Math.min(replicas.length, Math.floor((rows - demandRows) / 2)));
  const index = selected === undefined ? -1 : replicas.indexOf(selected);
  const isDim = isOutdated(cloud, now);
  const name = app && shownName(app, cloud.status?.organisation);
  const title = name === undefined ? "replicas" : `${name} ${glyphs.separator} replicas`;
  const events = app && eventsOf(app, cloud.events, replicas);
  const demand = app === undefined ? [] : demandOn(cloud.figuresOf(nameOf(app)), app.scale);
  return (
    <Panel
      width={width}
      height={height}
      title={title}
      footer={replicas.length > 0 ? String(replicas.length) : ""}
      isFocused={pane === "replicas"}
    >
      {app !== undefined && replicas.length === 0 && (
        <TextLine text={`  ${noReplica(app.scale)}`} tone="dim" width={columns} />
      )}
      {rowsAround(replicas, index, room).map((replica) => (
        <ReplicaRow
          key={replica.replica}
          replica={replica}
          slots={app?.scale.maxMultiplexing ?? 1}
          isExplained={app?.reason !== undefined}
          isSelected={replica === selected}
          isDim={isDim}
          width={columns}
          now={now}
        />
      ))}
      {demand.map((row) => (
        <DemandRow key={row.label} {...row} isDim={isDim} width={columns} />
      ))}
      {events?.slice(0, Math.max(0, rows - room - demandRows)).map((event) => (
        <EventRow
          key={`${event.at} ${event.replica} ${event.kind} ${event.sentence}`}
          event={event}
          isDim={isDim}
          width={columns}
        />
      ))}
    </Panel>
  );
}

export function spokenReplica(state: ConsoleState): string | undefined {
  const selected = selectedReplica(state);
  return selected && `Replica: ${shortReplica(selected.replica)}, ${stateWord(selected.state)}`;
}

interface RowProps {
  /** True if the data is outdated. */
  readonly isDim: boolean;
  readonly width: number;
}

interface ReplicaRowProps extends RowProps {
  readonly replica: ReplicaDocument;
  /** Concurrent requests that it takes. */
  readonly slots: number;
  /** True if the deployment's note explains why replicas end. */
  readonly isExplained: boolean;
  readonly isSelected: boolean;
  readonly now: number;
}

function ReplicaRow(props: ReplicaRowProps): ReactElement {
  const { replica, slots, isExplained, isSelected, isDim, width, now } = props;
  const { theme } = useLook();
  const tone = (own: Tone) => theme[isDim ? "dim" : own];
  const name = harmlessRow(shortReplica(replica.replica));
  const state = stateRun(replica.state);
  const hasLoad = replica.exit === undefined;
  const count = ` ${replica.inFlight}/${slots} `;
  const loadWidth = hasLoad ? gaugeWidth + count.length : 0;
  const room = width - 2 - textWidth(name) - stateWidth - loadWidth - 2;
  const note = replicaNote(replica, now, isExplained);
  return (
    <Text wrap="truncate">
      <Text {...theme.key}>{isSelected ? `${glyphs.marker} ` : "  "}</Text>
      <Text {...tone(isSelected ? "selected" : "plain")}>{name}</Text>
      <Text {...tone(state.tone)}>{` ${fitText(state.text, stateWidth)} `}</Text>
      {hasLoad && (
        <>
          <Gauge
            share={replica.inFlight / Math.max(1, slots)}
            width={gaugeWidth}
            {...(isDim && { tone: "dim" })}
          />
          <Text {...tone("plain")}>{count}</Text>
        </>
      )}
      <Text {...theme.dim}>{cutText(note, Math.max(0, room))}</Text>
    </Text>
  );
}

interface DemandRowProps extends RowProps {
  readonly label: string;
  /** Values of the readings, oldest first. */
  readonly values: readonly number[];
  readonly note: string;
}

function DemandRow({ label, values, note, isDim, width }: DemandRowProps): ReactElement {
  const { theme } = useLook();
  const value = ` ${String(values.at(-1) ?? 0).padStart(3)}  ${note}`;
  const cells = Math.min(sparklineWidthMaximum, width - demandLabelWidth - value.length);
  return (
    <Text wrap="truncate">
      <Text {...theme.dim}>{label.padEnd(demandLabelWidth)}</Text>
      <Sparkline values={values} width={Math.max(0, cells)} floor={1} />
      <Text {...theme[isDim ? "dim" : "plain"]}>{value}</Text>
    </Text>
  );
}

function EventRow({ event, isDim, width }: RowProps & { event: EventDocument }): ReactElement {
  const isBad = /crash|fail|unhealthy|unschedulable|lost/.test(event.kind);
  const time: TextRun = { text: timeOfDay(event.at).padEnd(timeWidth), tone: "dim" };
  const text = cutText(toOneLine(event.sentence), width - timeWidth);
  return <Line runs={[time, { text, tone: isDim ? "dim" : isBad ? "warning" : "plain" }]} />;
}

/** Returns events, newest first; leaves out exits that a replica's row explains. */
function eventsOf(
  app: AppDocument,
  events: readonly EventDocument[],
  replicas: readonly ReplicaDocument[],
): readonly EventDocument[] {
  const ended = new Set(replicas.filter(({ exit }) => exit).map(({ replica }) => replica));
  const isShownElsewhere = ({ kind, replica }: EventDocument) =>
    kind === "crashed" && replica !== undefined && ended.has(replica);
  return events
    .filter((event) => nameOf(event) === nameOf(app) && !isShownElsewhere(event))
    .reverse();
}

function noReplica({ minConcurrency, concurrencyBuffer }: ScaleSettings): string {
  const isAsleep = minConcurrency === 0 && concurrencyBuffer === 0;
  return isAsleep ? "No replicas; the next request starts one." : "No replicas.";
}

function demandOn({ inFlight, queued }: AppFigures, scale: ScaleSettings) {
  const { maxMultiplexing, targetUtilization } = scale;
  const target = maxMultiplexing === 1 ? 1 : maxMultiplexing * targetUtilization;
  return [
    { label: "in flight", values: inFlight, note: `target ${Number(target.toFixed(1))} each` },
    { label: "queue", values: queued, note: "waiting" },
  ];
}
