// The console below the tabs: deployments above; below them replicas, keys and the log.

import { Box } from "ink";
import type { ReactElement } from "react";
import { span } from "../../../base/quantities.ts";
import { Line, TextLine } from "../../components/line.tsx";
import { Panel, panelInnerWidth } from "../../components/panel.tsx";
import type { BodySize } from "../../frame/screen.ts";
import { useNow } from "../../hooks/use-look.ts";
import { type Readable, useStore } from "../../hooks/use-store.ts";
import { glyphs } from "../../theme.ts";
import { AppDetails } from "./app-details.tsx";
import { contentSize, type PaneProps, paneRows } from "./console-layout.ts";
import { paneViews } from "./console-panes.ts";
import {
  type CloudState,
  type ConsoleState,
  canStart,
  hasBanner,
  isEmpty,
} from "./console-state.ts";
import { NewKey } from "./key-list.tsx";
import type { LogBuffer } from "./log-buffer.ts";

export interface ConsoleBodyProps extends BodySize {
  readonly store: Readable<ConsoleState>;
  readonly log: LogBuffer;
}

/** The log pane reads the log itself, so new lines redraw only that pane. */
export function ConsoleBody({ store, log, columns, rows }: ConsoleBodyProps): ReactElement {
  const state = useStore(store, (whole) => whole);
  const now = useNow();
  const content = contentSize(state, { columns, rows }, now);
  const isBannerShown = hasBanner(state, now);
  const { made } = state;
  return (
    <Box flexDirection="column" width={columns} height={rows}>
      {isBannerShown && <Banner cloud={state.cloud} width={columns} now={now} />}
      <Content state={state} log={log} now={now} size={content} y={isBannerShown ? 1 : 0} />
      {made !== undefined && <NewKey {...made} width={columns} />}
    </Box>
  );
}

interface ContentProps {
  readonly state: ConsoleState;
  readonly log: LogBuffer;
  readonly now: number;
  readonly size: BodySize;
  /** Its first row in the body. */
  readonly y: number;
}

function Content({ state, log, now, size, y }: ContentProps): ReactElement {
  const { columns, rows } = size;
  const { details } = state;
  if (details !== undefined) {
    return <AppDetails {...details} width={columns} height={rows} now={now} />;
  }
  if (isEmpty(state)) {
    return <EmptyConsole state={state} width={columns} height={rows} />;
  }
  return (
    <>
      {paneRows(state, size).map(({ panes, top, height }) => (
        <Box key={panes[0]} height={height} flexShrink={0}>
          {panes.map((name, index) => {
            const { Body } = paneViews[name];
            const width = Math.floor(columns / panes.length);
            const rest = index === panes.length - 1 ? columns - width * panes.length : 0;
            const place = { width: width + rest, height, y: y + top };
            return <Body key={name} state={state} log={log} now={now} {...place} />;
          })}
        </Box>
      ))}
    </>
  );
}

interface BannerProps {
  readonly cloud: CloudState;
  readonly width: number;
  readonly now: number;
}

/** Shows why and how much the data is outdated, and the keys that help. */
function Banner({ cloud, width, now }: BannerProps): ReactElement {
  const { link, readAtMs } = cloud;
  const age = readAtMs === undefined ? [] : [`data is ${span(now - readAtMs)} old`];
  const isDown = link.kind === "down";
  const parts = isDown
    ? [
        canStart(cloud) ? "The control plane is not running" : link.sentence,
        ...age,
        ...(canStart(cloud) ? ["S starts it"] : []),
        "r retries",
      ]
    : ["The control plane responds slowly", ...age];
  const sign = isDown ? glyphs.failed : glyphs.warning;
  const text = ` ${sign} ${parts.join(` ${glyphs.separator} `)}`;
  return <TextLine text={text} tone={isDown ? "error" : "warning"} width={width} />;
}

/** Explains an empty console and what to do. */
function EmptyConsole({ state, width, height }: Omit<PaneProps, "now">): ReactElement {
  return (
    <Panel width={width} height={height} title="Deployments" isFocused={state.pane === "apps"}>
      <Line runs={[]} />
      {emptyLines(state.cloud, glyphs.ellipsis).map((line) => (
        <TextLine key={line} text={`  ${line}`} tone="dim" width={panelInnerWidth(width)} />
      ))}
    </Panel>
  );
}

function emptyLines(cloud: CloudState, ellipsis: string): readonly string[] {
  const { link, target } = cloud;
  if (link.kind === "up") {
    return ["No deployments yet. Press 4 to deploy a script or a model."];
  }
  if (link.kind === "connecting") return [`Loading deployments from ${target.place}${ellipsis}`];
  if (!canStart(cloud)) return [link.sentence, "r retries; p switches servers."];
  return [
    "The control plane is not running.",
    "S starts it; deployctl down stops it.",
    "4 opens the deploy screen; a launch starts it too.",
  ];
}
