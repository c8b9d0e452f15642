// The request table: filters above it, the rows around the selected one.

import { Box } from "ink";
import { memo, type ReactElement, useEffect } from "react";
import { keyOf } from "../../../client/live/request-feed.ts";
import { Line, useParagraph } from "../../components/line.tsx";
import { ListPane } from "../../components/list-pane.tsx";
import { panelInnerHeight, panelInnerWidth } from "../../components/panel.tsx";
import { markerWidth } from "../../components/table.tsx";
import { TextField } from "../../components/text-field.tsx";
import { useNow } from "../../hooks/use-look.ts";
import { useStore } from "../../hooks/use-store.ts";
import { fitRuns, harmlessRun, runsWidth, type TextRun } from "../../text/text-run.ts";
import { glyphs } from "../../theme.ts";
import { exampleCall } from "./curl-command.ts";
import { requestColumns, requestNote } from "./request-columns.ts";
import { countNewRequests, isFollowing, listRequests } from "./request-list.ts";
import type { ServerSources, ServerState } from "./server-state.ts";

/** The filter above the table, and the table's header. */
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
  const now = useNow();
  const state = useStore(sources.store, (one) => one);
  const { isRelative } = state;
  const entries = useStore(sources.feed, (one) => one);
  // Figures of running requests change with each sample.
  const { samples } = useStore(sources.watch, (one) => one);
  const { shown, selectedIndex, total } = listRequests(state, entries);
  const width = panelInnerWidth(columns);
  const footer = isFollowing(state)
    ? `${shown.length} of ${total}`
    : `${selectedIndex + 1} of ${shown.length} ${glyphs.separator} End follow`;
  const height = Math.max(0, panelInnerHeight(rows) - headRows);
  const { extent } = sources;
  useEffect(() => {
    extent.current = { rows: height, lastTop: 0 };
  }, [extent, height]);
  return (
    <ListPane
      title={samples.at(-1)?.isRecording === true ? "Requests (recording prompts)" : "Requests"}
      footer={footer}
      isFocused
      width={columns}
      height={rows}
      y={y}
      columns={requestColumns({ isRelative, now })}
      items={shown}
      keyOf={keyOf}
      selected={selectedIndex}
      noteOf={requestNote}
      head={<FilterLine state={state} missed={countNewRequests(state, entries)} width={width} />}
      empty={<NoRequests hasRequests={total > 0} url={sources.host().url} width={width} />}
    />
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
  const { filters, field, filterProblem, frozen, showsOwn } = state;
  const { status, model, text } = filters;
  const isPaused = frozen !== undefined;
  const mode = isPaused ? `PAUSED +${missed}` : isFollowing(state) ? "FOLLOW" : "";
  const room = Math.max(0, width - mode.length - 1);
  const names: readonly TextRun[] = [
    { text: "status ", tone: "dim" },
    { text: status, tone: status === "all" ? "plain" : "value" },
    { text: "  model ", tone: "dim" },
    harmlessRun(model ?? "all", model === undefined ? "plain" : "value"),
    ...(showsOwn ? [{ text: "  own shown", tone: "value" } as const] : []),
    { text: "  filter ", tone: "dim" },
  ];
  const used = Math.min(room, runsWidth(names));
  const fieldWidth = Math.max(
    fieldWidthMinimum,
    Math.min(fieldWidthMaximum, width - used - mode.length - 2),
  );
  const rest = Math.max(0, room - used - (field === undefined ? 0 : fieldWidth));
  const value: TextRun = text === "" ? { text: "none", tone: "plain" } : harmlessRun(text, "value");
  const problem =
    filterProblem === undefined
      ? []
      : [harmlessRun(`  ${glyphs.warning} ${filterProblem}`, "warning")];
  return (
    <Box height={1} flexShrink={0}>
      <Line runs={fitRuns(names, used)} />
      {field !== undefined && <TextField field={field.editor} width={fieldWidth} x={used} />}
      <Line runs={fitRuns([...(field === undefined ? [value] : []), ...problem], rest)} />
      <Line runs={[{ text: ` ${mode}`, tone: isPaused ? "warning" : "dim" }]} />
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
