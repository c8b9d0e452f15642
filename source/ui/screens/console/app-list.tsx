// The table of deployments, with a note on the selected one.

import { Box } from "ink";
import type { ReactElement } from "react";
import { toOneLine } from "../../../base/seen-text.ts";
import type { AppDocument } from "../../../cloud/admin/documents.ts";
import { panelInnerHeight, panelInnerWidth } from "../../components/panel.tsx";
import { fitColumns, markerWidth, Table } from "../../components/table.tsx";
import { TextLine } from "../../components/text-line.tsx";
import { useLook } from "../../hooks/use-look.ts";
import type { Glyphs } from "../../theme.ts";
import { type PaneProps, visibleFrom } from "./console-layout.ts";
import { type ConsoleState, isOutdated, selectedIndex, shownApps } from "./console-state.ts";
import { nameOf, shownName } from "./console-texts.ts";
import { FilteredPanel } from "./filtered-panel.tsx";
import { appColumns } from "./table-columns.ts";

export interface AppListProps extends PaneProps {
  /** Its first row in the body. */
  readonly y: number;
}

export function AppList({ state, width, height, now, y }: AppListProps): ReactElement {
  const { glyphs } = useLook();
  const { cloud, pane, filter } = state;
  const apps = shownApps(state);
  const total = cloud.apps.length;
  const index = selectedIndex(state.selected.apps, apps.map(nameOf));
  const selected = apps[index];
  const note = noteOn(selected, state, glyphs);
  const inner = panelInnerWidth(width);
  const room = Math.max(0, panelInnerHeight(height) - 1 - (note === undefined ? 0 : 1));
  const top = visibleFrom(index, apps.length, room);
  const columns = appColumns({
    glyphs,
    organisation: cloud.status?.organisation,
    figuresOf: cloud.figuresOf,
    now,
  });
  const fitted = fitColumns(columns, inner - markerWidth);
  const isFocused = pane === "apps";
  const place = `${index + 1} of ${apps.length}`;
  return (
    <FilteredPanel
      title="Deployments"
      filter={filter}
      field={isFocused ? state.field : undefined}
      footer={apps.length === 0 ? "" : apps.length < total ? `${place} (${total} in all)` : place}
      isFocused={isFocused}
      width={width}
      height={height}
      y={y}
    >
      <Table
        columns={fitted}
        items={apps.slice(top, top + room)}
        keyOf={nameOf}
        isSelected={(app) => app === selected}
        isDim={isOutdated(cloud, now)}
        isFocused={isFocused}
      />
      {apps.length === 0 && (
        <TextLine
          text={`  No deployment is called '${filter}'. Esc shows all.`}
          tone="dim"
          width={inner}
        />
      )}
      <Box flexGrow={1} />
      {note !== undefined && <TextLine {...note} width={inner} />}
    </FilteredPanel>
  );
}

/** The fault of the selected deployment, or the work on it. */
function noteOn(app: AppDocument | undefined, { works, cloud }: ConsoleState, glyphs: Glyphs) {
  if (app === undefined) return undefined;
  const name = shownName(app, cloud.status?.organisation);
  const work = works[nameOf(app)];
  if (work !== undefined) {
    return { text: `${glyphs.working} ${name}: ${toOneLine(work)}`, tone: "mark" } as const;
  }
  if (app.reason === undefined) return undefined;
  return { text: `${glyphs.warning} ${name}: ${toOneLine(app.reason)}`, tone: "warning" } as const;
}
