// The table of deployments, with a note on the selected one.

import type { ReactElement } from "react";
import { toOneLine } from "../../../base/display-text.ts";
import { formatMilliseconds } from "../../../base/formats.ts";
import { percentage, rate } from "../../../base/quantities.ts";
import type { AppDocument } from "../../../cloud/admin/documents.ts";
import { TextLine } from "../../components/line.tsx";
import { ListPane } from "../../components/list-pane.tsx";
import { panelInnerWidth } from "../../components/panel.tsx";
import { type Column, figureColumn } from "../../components/table.tsx";
import { glyphs } from "../../theme.ts";
import type { PaneProps } from "./console-layout.ts";
import {
  type CloudState,
  type ConsoleState,
  isOutdated,
  selectedRow,
  shownApps,
} from "./console-state.ts";
import {
  nameOf,
  sharingText,
  shortAge,
  shortRevision,
  shownName,
  stateRun,
} from "./console-texts.ts";

/** @param y its first row in the body */
export function AppList({ state, width, height, now, y }: PaneProps & { y: number }): ReactElement {
  const { cloud, pane, filter } = state;
  const apps = shownApps(state);
  const total = cloud.apps.length;
  const index = selectedRow(state, "apps");
  const note = noteOn(apps[index], state);
  const isFocused = pane === "apps";
  const place = `${index + 1} of ${apps.length}`;
  return (
    <ListPane
      title="Deployments"
      filter={filter}
      field={isFocused ? state.field : undefined}
      footer={apps.length === 0 ? "" : apps.length < total ? `${place} (${total} total)` : place}
      isFocused={isFocused}
      width={width}
      height={height}
      y={y}
      columns={appColumns(cloud, now)}
      items={apps}
      keyOf={nameOf}
      selected={index}
      isDim={isOutdated(cloud, now)}
      empty={
        total === 0 ? "No deployments yet." : `No deployment matches '${filter}'. Esc shows all.`
      }
      foot={note && <TextLine {...note} width={panelInnerWidth(width)} />}
    />
  );
}

/** Returns the problem of the selected deployment, or the work on it. */
function noteOn(app: AppDocument | undefined, { works, cloud }: ConsoleState) {
  if (app === undefined) return undefined;
  const name = shownName(app, cloud.status?.organisation);
  const work = works[nameOf(app)];
  if (work !== undefined) {
    return { text: `${glyphs.working} ${name}: ${toOneLine(work)}`, tone: "plain" } as const;
  }
  if (app.reason === undefined && app.traffic !== undefined) {
    const shares = app.traffic.revisions.map(sharingText).join("; ");
    return { text: `${glyphs.working} ${name}: ${shares}`, tone: "plain" } as const;
  }
  if (app.reason === undefined) return undefined;
  return { text: `${glyphs.warning} ${name}: ${toOneLine(app.reason)}`, tone: "warning" } as const;
}

function appColumns(
  { status, figuresOf }: CloudState,
  now: number,
): readonly Column<AppDocument>[] {
  const figures = (app: AppDocument) => figuresOf(nameOf(app));
  return [
    {
      title: "NAME",
      width: 12,
      isFlexible: true,
      cell: (app) => {
        const name = shownName(app, status?.organisation);
        // The app ends with the command that runs it.
        const text = app.isEphemeral ? `${name} (run)` : name;
        return { text, tone: "plain" };
      },
    },
    { title: "STATUS", width: 11, cell: ({ state }) => stateRun(state) },
    figureColumn(["REPLICAS", 8, 0], String, (app) => replicaCount(app)),
    figureColumn(["REQ/S", 6, 1], rate, (app) => figures(app).requestsPerSecond),
    figureColumn(["BUSY", 4, 2], String, ({ inFlight }) => inFlight),
    figureColumn(["QUEUE", 5, 3], String, ({ queued }) => queued),
    figureColumn(["TTFB p95", 8, 4], formatMilliseconds, (app) => figures(app).ttfbMsP95),
    figureColumn(["4XX", 4, 3], percentage, (app) => figures(app).clientErrorShare),
    figureColumn(["ERR", 4, 1], percentage, (app) => figures(app).errorShare),
    {
      title: "REVISION",
      width: 8,
      rank: 2,
      cell: ({ activeRevision, traffic }) => {
        const name = shortRevision(activeRevision) ?? "-";
        return { text: traffic === undefined ? name : `${name}+`, tone: "plain" };
      },
    },
    figureColumn(["AGE", 5, 3], shortAge, ({ createdAt }) => now - createdAt),
  ];
}

/** Returns ready and maximum replicas. While it scales up, returns current and wanted ones. */
function replicaCount({ replicas, scale }: AppDocument): string {
  const { wanted, alive, ready } = replicas;
  if (alive < wanted) return `${alive}${glyphs.arrow}${wanted}`;
  return `${ready}/${scale.maxConcurrency}`;
}
