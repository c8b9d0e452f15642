// The table of deployments, with a note on the selected one.

import { Box } from "ink";
import type { ReactElement } from "react";
import { toOneLine } from "../../../base/display-text.ts";
import { formatMilliseconds } from "../../../base/formats.ts";
import type { AppDocument } from "../../../cloud/admin/documents.ts";
import { TextLine } from "../../components/line.tsx";
import { panelInnerHeight, panelInnerWidth } from "../../components/panel.tsx";
import {
  type Column,
  fitColumns,
  markerWidth,
  rowsAround,
  Table,
} from "../../components/table.tsx";
import { useLook } from "../../hooks/use-look.ts";
import { percentage, rate } from "../../text/quantities.ts";
import { foreignRun } from "../../text/text-run.ts";
import type { Glyphs } from "../../theme.ts";
import type { AppFigures } from "./app-figures.ts";
import type { PaneProps } from "./console-layout.ts";
import {
  type CloudState,
  type ConsoleState,
  isOutdated,
  selectedRow,
  shownApps,
} from "./console-state.ts";
import { appStateRun, nameOf, shortAge, shortRevision, shownName } from "./console-texts.ts";
import { FilteredPanel } from "./filtered-panel.tsx";

/** @param y its first row in the body */
export function AppList({ state, width, height, now, y }: PaneProps & { y: number }): ReactElement {
  const { glyphs } = useLook();
  const { cloud, pane, filter } = state;
  const apps = shownApps(state);
  const total = cloud.apps.length;
  const index = selectedRow(state, "apps");
  const selected = apps[index];
  const note = noteOn(selected, state, glyphs);
  const inner = panelInnerWidth(width);
  const room = Math.max(0, panelInnerHeight(height) - 1 - (note === undefined ? 0 : 1));
  const columns = fitColumns(appColumns(cloud, glyphs, now), inner - markerWidth);
  const isFocused = pane === "apps";
  const place = `${index + 1} of ${apps.length}`;
  return (
    <FilteredPanel
      title="Deployments"
      filter={filter}
      field={isFocused ? state.field : undefined}
      footer={apps.length === 0 ? "" : apps.length < total ? `${place} (${total} total)` : place}
      isFocused={isFocused}
      width={width}
      height={height}
      y={y}
    >
      <Table
        columns={columns}
        items={rowsAround(apps, index, room)}
        keyOf={nameOf}
        isSelected={(app) => app === selected}
        isDim={isOutdated(cloud, now)}
        isFocused={isFocused}
      />
      {apps.length === 0 && (
        <TextLine
          text={
            total === 0
              ? "  No deployments yet."
              : `  No deployment matches '${filter}'. Esc shows all.`
          }
          tone="dim"
          width={inner}
        />
      )}
      <Box flexGrow={1} />
      {note !== undefined && <TextLine {...note} width={inner} />}
    </FilteredPanel>
  );
}

/** Returns the problem of the selected deployment, or the work on it. */
function noteOn(app: AppDocument | undefined, { works, cloud }: ConsoleState, glyphs: Glyphs) {
  if (app === undefined) return undefined;
  const name = shownName(app, cloud.status?.organisation);
  const work = works[nameOf(app)];
  if (work !== undefined) {
    return { text: `${glyphs.working} ${name}: ${toOneLine(work)}`, tone: "plain" } as const;
  }
  if (app.reason === undefined) return undefined;
  return { text: `${glyphs.warning} ${name}: ${toOneLine(app.reason)}`, tone: "warning" } as const;
}

function appColumns(
  { status, figuresOf }: CloudState,
  glyphs: Glyphs,
  now: number,
): readonly Column<AppDocument>[] {
  const figure = (
    title: string,
    width: number,
    rank: number,
    value: (app: AppDocument, figures: AppFigures) => string | undefined,
  ): Column<AppDocument> => ({
    title,
    width,
    rank,
    align: "right",
    cell: (app) => ({ text: value(app, figuresOf(nameOf(app))) ?? "-", tone: "plain" }),
  });
  return [
    {
      title: "NAME",
      width: 12,
      isFlexible: true,
      cell: (app) => {
        const name = shownName(app, status?.organisation);
        // Ends with the command that runs it.
        const text = app.isEphemeral ? `${name} (run)` : name;
        return foreignRun(text, "plain", glyphs.isAscii);
      },
    },
    { title: "STATUS", width: 11, cell: ({ state }) => appStateRun(state, glyphs) },
    figure("REPLICAS", 8, 0, (app) => replicaCount(app, glyphs)),
    figure("REQ/S", 6, 1, (_, { requestsPerSecond: perSecond }) =>
      perSecond === undefined ? undefined : rate(perSecond),
    ),
    figure("BUSY", 4, 2, ({ inFlight }) => String(inFlight)),
    figure("QUEUE", 5, 3, ({ queued }) => String(queued)),
    figure("TTFB p95", 8, 4, (_, { ttfbMsP95 }) =>
      ttfbMsP95 === undefined ? undefined : formatMilliseconds(ttfbMsP95),
    ),
    figure("4XX", 4, 3, (_, { clientErrorShare: share }) =>
      share === undefined ? undefined : percentage(share),
    ),
    figure("ERR", 4, 1, (_, { errorShare: share }) =>
      share === undefined ? undefined : percentage(share),
    ),
    {
      title: "REVISION",
      width: 8,
      rank: 2,
      cell: ({ activeRevision }) =>
        foreignRun(shortRevision(activeRevision) ?? "-", "plain", glyphs.isAscii),
    },
    figure("AGE", 5, 3, ({ createdAt }) => shortAge(now - createdAt)),
  ];
}

/** Returns ready and maximum replicas; while it grows, the current and wanted number. */
function replicaCount({ replicas, scale }: AppDocument, glyphs: Glyphs): string {
  const { wanted, alive, ready } = replicas;
  if (alive < wanted) return `${alive}${glyphs.arrow}${wanted}`;
  return `${ready}/${scale.maxConcurrency}`;
}
