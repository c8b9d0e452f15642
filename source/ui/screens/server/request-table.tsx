// The request table: filters above it, the rows around the selected one.

import { Box, Text } from "ink";
import { memo, type ReactElement, useEffect } from "react";
import { keyOf } from "../../../client/live/request-feed.ts";
import { Line, useParagraph } from "../../components/line.tsx";
import { Panel, panelInnerHeight, panelInnerWidth } from "../../components/panel.tsx";
import { fitColumns, markerWidth, rowsAround, Table } from "../../components/table.tsx";
import { TextField } from "../../components/text-field.tsx";
import { useLook, useNow } from "../../hooks/use-look.ts";
import { useStore } from "../../hooks/use-store.ts";
import { fitRuns, foreignRun, runsWidth, type TextRun } from "../../text/text-run.ts";
import { exampleCall } from "./curl-command.ts";
import { requestColumns, requestNote } from "./request-columns.ts";
import { countNewRequests, listRequests } from "./request-list.ts";
import type { ServerSources, ServerState } from "./server-state.ts";

/** The filter and the header. */
const headRows = 2;

export interface RequestTableProps {
  readonly sources: ServerSources;
  readonly columns: number;
  readonly rows: number;
  /** The panel's first row in the body. */
  readonly y: number;
}

export const RequestTable = memo(function RequestTable(props: RequestTableProps): ReactElement {
  const { sources, columns, rows, y } = props;
  const { glyphs } = useLook();
  const now = useNow();
  const state = useStore(sources.store, (one) => one);
  const { isRelative, selectedKey } = state;
  const entries = useStore(sources.feed, (one) => one);
  // Figures of running requests change with each sample.
  const { samples } = useStore(sources.watch, (one) => one);
  const { shown, selected, selectedIndex, total } = listRequests(state, entries);
  const width = panelInnerWidth(columns);
  const footer =
    selectedKey === undefined
      ? `${shown.length} of ${total}`
      : `${selectedIndex + 1} of ${shown.length} ${glyphs.separator} End follow`;
  const height = Math.max(0, panelInnerHeight(rows) - headRows);
  const { extent } = sources;
  useEffect(() => {
    extent.current = { rows: height, lastTop: 0 };
  }, [extent, height]);
  return (
    <Panel
      width={columns}
      height={rows}
      y={y}
      title={samples.at(-1)?.isRecording === true ? "Requests (recording prompts)" : "Requests"}
      footer={footer}
      isFocused
    >
      <FilterLine state={state} missed={countNewRequests(state, entries)} width={width} />
      <Table
        columns={fitColumns(requestColumns({ glyphs, isRelative, now }), width - markerWidth)}
        items={rowsAround(shown, selectedIndex, height)}
        keyOf={keyOf}
        isSelected={(view) => view === selected}
        noteOf={(view) => requestNote(view, glyphs.isAscii)}
      />
      {shown.length === 0 && (
        <NoRequests hasRequests={total > 0} url={sources.host().url} width={width} />
      )}
    </Panel>
  );
});

const fieldWidthMinimum = 8;
const fieldWidthMaximum = 48;

interface FilterLineProps {
  readonly state: ServerState;
  /** New requests since the pause. */
  readonly missed: number;
  readonly width: number;
}

/** Draws the active filters, the field for their text, and the mode: FOLLOW or PAUSED. */
function FilterLine({ state, missed, width }: FilterLineProps): ReactElement {
  const { glyphs, theme } = useLook();
  const { isAscii, ellipsis, warning } = glyphs;
  const { filters, field, filterProblem, frozen, selectedKey, showsOwn } = state;
  const { status, model, text } = filters;
  const isPaused = frozen !== undefined;
  const mode = isPaused ? `PAUSED +${missed}` : selectedKey === undefined ? "FOLLOW" : "";
  const room = Math.max(0, width - mode.length - 1);
  const names: readonly TextRun[] = [
    { text: "status ", tone: "dim" },
    { text: status, tone: status === "all" ? "plain" : "value" },
    { text: "  model ", tone: "dim" },
    foreignRun(model ?? "all", model === undefined ? "plain" : "value", isAscii),
    ...(showsOwn ? [{ text: "  own shown", tone: "value" } as const] : []),
    { text: "  filter ", tone: "dim" },
  ];
  const used = Math.min(room, runsWidth(names));
  const fieldWidth = Math.max(
    fieldWidthMinimum,
    Math.min(fieldWidthMaximum, width - used - mode.length - 2),
  );
  const rest = Math.max(0, room - used - (field === undefined ? 0 : fieldWidth));
  const value: TextRun =
    text === "" ? { text: "none", tone: "plain" } : foreignRun(text, "value", isAscii);
  const problem =
    filterProblem === undefined
      ? []
      : [foreignRun(`  ${warning} ${filterProblem}`, "warning", isAscii)];
  return (
    <Box height={1} flexShrink={0}>
      <Line runs={fitRuns(names, used, ellipsis)} />
      {field !== undefined && <TextField field={field} width={fieldWidth} x={used} />}
      <Line runs={fitRuns([...(field === undefined ? [value] : []), ...problem], rest, ellipsis)} />
      <Text {...theme[isPaused ? "warning" : "dim"]}>{` ${mode}`}</Text>
    </Box>
  );
}

interface NoRequestsProps {
  /** True if the filters hide all requests. */
  readonly hasRequests: boolean;
  readonly url: string;
  readonly width: number;
}

function NoRequests({ hasRequests, url, width }: NoRequestsProps): ReactElement {
  const paragraph = useParagraph(width - markerWidth);
  const lines = hasRequests
    ? ["No matches. Press Esc to show all requests."]
    : ["No requests yet. Try:", exampleCall(url), "Press y to copy it."];
  return (
    <Box flexDirection="column" flexShrink={0} paddingLeft={markerWidth}>
      {lines.map((line) => paragraph(line, "dim"))}
    </Box>
  );
}
