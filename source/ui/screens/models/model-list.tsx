// The list of one source: the table, errors above it, and the downloads below it.

import { Box } from "ink";
import type { ReactElement } from "react";
import { roughSpan } from "../../../base/quantities.ts";
import { Line, Lines, TextLine, useParagraph } from "../../components/line.tsx";
import { Panel, panelInnerHeight, panelInnerWidth } from "../../components/panel.tsx";
import { Table } from "../../components/table.tsx";
import { TextField } from "../../components/text-field.tsx";
import { useNow } from "../../hooks/use-look.ts";
import { runsWidth, type TextRun } from "../../text/text-run.ts";
import { glyphs } from "../../theme.ts";
import { DownloadList, downloadListHeight } from "./download-list.tsx";
import { fitLegend, listColumns } from "./list-columns.ts";
import { entriesOf, selectedRow } from "./model-entries.ts";
import { type ModelsState, type Refreshed, sources } from "./models-state.ts";

/** Figures older than this are shown with their age. */
const staleAfterMs = 10_000;
/** The source bar and the blank row below it. */
const barRows = 2;
/** The header and one model. */
const tableRowsMinimum = 2;
/** The legend of the table and the blank row above it. */
const legendRows = 2;
/** A lower table has no legend. */
const legendFromRows = 9;

interface RowsProps {
  readonly state: ModelsState;
  readonly width: number;
  readonly height: number;
}

export interface ModelListProps extends RowsProps {
  /** Leaves out failed downloads, which the card beside it shows. */
  readonly hasCard?: boolean;
}

export function ModelList({ state, width, height, hasCard = false }: ModelListProps): ReactElement {
  const nowMs = useNow();
  const { work } = state;
  const downloads = state.downloads.filter((one) => !hasCard || one.state !== "failed");
  const innerWidth = panelInnerWidth(width);
  const innerHeight = panelInnerHeight(height);
  const downloadRoom = { width: innerWidth, heightMaximum: Math.floor(innerHeight / 2) };
  const downloadRows = downloadListHeight(downloads, downloadRoom);
  const belowRows = (work === undefined ? 0 : 1) + downloadRows;
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
        {work !== undefined && (
          <TextLine text={`${glyphs.working} ${work}`} tone="plain" width={innerWidth} />
        )}
        <DownloadList downloads={downloads} {...downloadRoom} />
      </Box>
    </Panel>
  );
}

const titles = { local: "Local", hub: "Hub", running: "Running" } as const;
const fieldWidthMinimum = 4;

/**
 * The sources, the open one in brackets, and the field that filters a list or searches the hub, in the
 * first row of the panel.
 */
export function SourceBar({ state, width }: Omit<RowsProps, "height">): ReactElement {
  const { source, isTyping } = state;
  const { filter } = state.lists[source];
  const tabs = sources.map(
    (name): TextRun =>
      name === source
        ? { text: `[${titles[name]}] `, tone: "value" }
        : { text: ` ${titles[name]}  `, tone: "dim" },
  );
  const label: TextRun = {
    text: source === "hub" ? " search: " : " filter: ",
    tone: isTyping ? "focus" : "dim",
  };
  const left = runsWidth([...tabs, label]);
  return (
    <Box height={1} flexShrink={0}>
      <Line runs={tabs} />
      {(isTyping || filter.text !== "") && (
        <>
          <Line runs={[label]} />
          <TextField
            field={filter}
            width={Math.max(fieldWidthMinimum, width - left)}
            x={left}
            isFocused={isTyping}
            tone="value"
          />
        </>
      )}
    </Box>
  );
}

/** `Models (local 3, hub 12, loaded 1, 42 s ago)`; the age appears with outdated figures. */
function titleOf({ local, hub, running }: ModelsState, nowMs: number): string {
  const count = (word: string, list: readonly unknown[] | undefined) =>
    list && `${word} ${list.length}`;
  const ageMs = staleAge(local, nowMs);
  const counts = [
    count("local", local.value),
    count("hub", hub.value),
    count("loaded", running.value),
    ageMs !== undefined && `${roughSpan(ageMs)} ago`,
  ].filter(Boolean);
  return counts.length > 0 ? `Models (${counts.join(", ")})` : "Models";
}

/** `2 of 12, by newest`. */
function footerOf(state: ModelsState): string {
  const entries = entriesOf(state, state.source);
  const order = `by ${state.lists[state.source].sort}`;
  if (entries.length === 0) return order;
  return `${selectedRow(state, entries) + 1} of ${entries.length}, ${order}`;
}

/** Returns the age of outdated figures; undefined for current ones. */
function staleAge(reading: Refreshed<unknown>, nowMs: number): number | undefined {
  if (reading.readAtMs === undefined || reading.error === undefined) return undefined;
  const ageMs = nowMs - reading.readAtMs;
  return ageMs > staleAfterMs ? ageMs : undefined;
}

/** Draws the table below an error, dimmed if its figures are outdated. */
function ModelRows({ state, width, height }: RowsProps): ReactElement {
  const paragraph = useParagraph(width);
  const nowMs = useNow();
  const reading = state[state.source];
  const ageMs = staleAge(reading, nowMs);
  const problem =
    reading.error === undefined
      ? []
      : paragraph(
          [
            `${glyphs.failed} ${reading.error}`,
            ageMs !== undefined && `${roughSpan(ageMs)} ago`,
            "r retry",
          ]
            .filter(Boolean)
            .join(` ${glyphs.separator} `),
          "error",
        );
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
  return (
    <>
      {problem}
      <Table
        columns={listColumns(state.source, { nowMs })}
        items={entries}
        keyOf={({ entry }) => entry.name}
        selected={selectedRow(state, entries)}
        width={width}
        height={Math.max(tableRowsMinimum, room - (hasLegend ? legendRows : 0))}
        isFocused={state.pane === "list"}
        isDim={ageMs !== undefined}
      />
      {hasLegend && (
        <Box marginTop={1} flexShrink={0}>
          <TextLine text={fitLegend()} tone="dim" width={width} />
        </Box>
      )}
    </>
  );
}

const skeletonWidths = [18, 24, 14, 20] as const;
const skeletonIndent = 2;

const waitingWords = {
  local: "loading models",
  hub: "searching the hub",
  running: "checking loaded models",
} as const;

const emptySentences = {
  local: "No models installed. Press ] to search the hub, p to pull by name.",
  hub: "Press / to search the hub, p to pull by name.",
  running: "No models loaded. Press [ for the models, then l to load one.",
} as const;

/** Draws what is loading or which keys help; nothing below an error or at the start of a wait. */
function EmptyList({ state, width }: Omit<RowsProps, "height">): ReactElement | null {
  const paragraph = useParagraph(width);
  const { wait, value, error } = state[state.source];
  if (wait === "short" && value === undefined) return null;
  if (wait === "long" && value === undefined) {
    const room = Math.max(0, width - skeletonIndent);
    const texts = [
      `${glyphs.working} ${waitingWords[state.source]}${glyphs.ellipsis}`,
      ...skeletonWidths.map(
        (length) =>
          " ".repeat(skeletonIndent) + glyphs.box.horizontal.repeat(Math.min(length, room)),
      ),
    ];
    return <Lines rows={texts.map((text) => [{ text, tone: "dim" }])} />;
  }
  if (error !== undefined && value === undefined) return null;
  const filter = state.lists[state.source].filter.text.trim();
  const sentence =
    filter === ""
      ? emptySentences[state.source]
      : `No matches for '${filter}'. Press Esc to clear.`;
  return (
    <Box flexDirection="column" marginTop={1} flexShrink={0}>
      {paragraph(sentence)}
    </Box>
  );
}
