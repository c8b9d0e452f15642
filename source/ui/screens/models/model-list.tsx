// The list of one source: the table, errors above it, and the downloads below it.

import { Box, Text } from "ink";
import type { ReactElement } from "react";
import { Line } from "../../components/line.tsx";
import { Panel, panelInnerHeight, panelInnerWidth } from "../../components/panel.tsx";
import { useParagraph } from "../../components/paragraph.tsx";
import { Table } from "../../components/table.tsx";
import { useNow } from "../../hooks/use-clock.ts";
import { useLook } from "../../hooks/use-look.ts";
import { truncateText } from "../../text/graphemes.ts";
import { foreignText } from "../../text/text-run.ts";
import type { Glyphs } from "../../theme.ts";
import { DownloadList, downloadListHeight } from "./download-list.tsx";
import { EmptyList } from "./empty-list.tsx";
import { listColumns } from "./list-columns.ts";
import { entriesOf, selectedIndex } from "./model-entries.ts";
import { formatSpan } from "./model-figures.ts";
import type { ModelsState, Reading } from "./models-state.ts";
import { SourceBar } from "./source-bar.tsx";
import { fitLegend } from "./state-cells.ts";

/** Figures older than this are shown with their age. */
const staleAfterMs = 10_000;
/** The source bar and the blank row below it. */
const barRows = 2;
const headerRows = 1;
/** The legend of the table and the blank row above it. */
const legendRows = 2;
/** A lower table has no legend. */
const legendFromRows = 9;

export interface ModelListProps {
  readonly state: ModelsState;
  readonly width: number;
  readonly height: number;
}

export function ModelList({ state, width, height }: ModelListProps): ReactElement {
  const nowMs = useNow();
  const { work, downloads } = state;
  const innerWidth = panelInnerWidth(width);
  const innerHeight = panelInnerHeight(height);
  const downloadsMaximum = Math.floor(innerHeight / 2);
  const belowRows = (work === undefined ? 0 : 1) + downloadListHeight(downloads, downloadsMaximum);
  const gap = belowRows > 0 ? 1 : 0;
  const listHeight = Math.max(1, innerHeight - barRows - belowRows - gap);
  return (
    <Panel
      width={width}
      height={height}
      title={titleOf(state, nowMs)}
      footer={footerOf(state)}
      isFocused={state.pane === "list"}
    >
      <SourceBar state={state} width={innerWidth} />
      <Box
        flexDirection="column"
        height={listHeight}
        marginTop={1}
        flexShrink={0}
        overflowY="hidden"
      >
        <ModelRows state={state} width={innerWidth} height={listHeight} />
      </Box>
      <Box flexDirection="column" marginTop={gap} flexShrink={0}>
        {work !== undefined && <Work text={work} width={innerWidth} />}
        <DownloadList downloads={downloads} width={innerWidth} heightMaximum={downloadsMaximum} />
      </Box>
    </Panel>
  );
}

interface WorkProps {
  readonly text: string;
  readonly width: number;
}

function Work({ text, width }: WorkProps): ReactElement {
  const { glyphs } = useLook();
  const shown = foreignText(`${glyphs.working} ${text}`, glyphs.isAscii);
  return <Line runs={[{ text: truncateText(shown, width, glyphs.ellipsis), tone: "mark" }]} />;
}

/** `Models (local 3, hub 12, loaded 1, 42 s ago)`; the age is that of old figures. */
function titleOf({ local, hub, running }: ModelsState, nowMs: number): string {
  const counts = [
    ["local", local.value?.length],
    ["hub", hub.value?.length],
    ["loaded", running.value?.length],
  ].flatMap(([word, count]) => (count === undefined ? [] : [`${word} ${count}`]));
  const ageMs = staleAge(local, nowMs);
  const age = ageMs === undefined ? "" : `, ${formatSpan(ageMs)} ago`;
  return counts.length === 0 ? "Models" : `Models (${counts.join(", ")}${age})`;
}

/** `2 of 12, by newest`. */
function footerOf(state: ModelsState): string {
  const entries = entriesOf(state, state.source);
  const order = `by ${state.lists[state.source].sort}`;
  if (entries.length === 0) return order;
  return `${selectedIndex(state, entries) + 1} of ${entries.length}, ${order}`;
}

/** The age of figures that should be newer; undefined for fresh ones. */
function staleAge(reading: Reading<unknown>, nowMs: number): number | undefined {
  if (reading.readAtMs === undefined || reading.error === undefined) return undefined;
  const ageMs = nowMs - reading.readAtMs;
  return ageMs > staleAfterMs ? ageMs : undefined;
}

/** The table stays below an error, and is dimmed once its figures are old. */
function ModelRows({ state, width, height }: ModelListProps): ReactElement {
  const { glyphs, theme } = useLook();
  const paragraph = useParagraph(width);
  const nowMs = useNow();
  const reading = state[state.source];
  const ageMs = staleAge(reading, nowMs);
  const problem =
    reading.error === undefined
      ? []
      : paragraph(problemText(reading.error, ageMs, glyphs), "error");
  const entries = entriesOf(state, state.source);
  if (entries.length === 0) {
    return (
      <>
        {problem}
        <EmptyList state={state} width={width} />
      </>
    );
  }
  const room = height - problem.length;
  const hasLegend = state.source === "local" && room >= legendFromRows;
  const count = Math.max(1, room - headerRows - (hasLegend ? legendRows : 0));
  const selected = selectedIndex(state, entries);
  const first = firstInSight(selected, entries.length, count);
  return (
    <>
      {problem}
      <Table
        columns={listColumns(state.source, width, { glyphs, nowMs })}
        items={entries.slice(first, first + count)}
        keyOf={({ entry }) => entry.name}
        isSelected={(found) => found === entries[selected]}
        isFocused={state.pane === "list"}
        isDim={ageMs !== undefined}
      />
      {hasLegend && (
        <Box marginTop={1} flexShrink={0}>
          <Text {...theme.dim}>{truncateText(fitLegend(glyphs), width, glyphs.ellipsis)}</Text>
        </Box>
      )}
    </>
  );
}

function problemText(error: string, ageMs: number | undefined, glyphs: Glyphs): string {
  const age = ageMs === undefined ? [] : [`${formatSpan(ageMs)} ago`];
  return [`${glyphs.failed} ${error}`, ...age, "r retry"].join(` ${glyphs.separator} `);
}

/** Keeps the selection in the middle of a list that is longer than its place. */
function firstInSight(selected: number, count: number, height: number): number {
  return Math.min(Math.max(0, count - height), Math.max(0, selected - Math.floor(height / 2)));
}
