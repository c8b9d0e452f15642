// The panes above the request table, or one line of figures where there is no room for them.

import { Box, Text } from "ink";
import { memo, type ReactElement, useMemo } from "react";
import { Panel, panelInnerHeight, panelInnerWidth } from "../../components/panel.tsx";
import { useNow } from "../../hooks/use-clock.ts";
import { useLook } from "../../hooks/use-look.ts";
import { useStore } from "../../hooks/use-store.ts";
import { FigureList } from "../../live/figure-list.tsx";
import type { Figure } from "../../live/machine-figures.ts";
import { type RequestFigures, requestFigures } from "../../live/request-figures.ts";
import { fitText } from "../../text/text-run.ts";
import {
  memoryFigures,
  schedulerFigures,
  serverLineText,
  throughputFigures,
} from "./server-figures.ts";
import { paneRows } from "./server-layout.ts";
import type { ServerSources } from "./server-state.ts";

export interface ServerPanesProps {
  readonly sources: ServerSources;
  readonly columns: number;
}

/** Three panes side by side, told of each new sample: once a second. */
export const ServerPanes = memo(function ServerPanes(props: ServerPanesProps): ReactElement {
  const { sources, columns } = props;
  const { glyphs } = useLook();
  const now = useNow();
  const { samples, link } = useStore(sources.watch, (one) => one);
  const facts = { samples, now, requests: useRequestFigures(sources.feed, now) };
  const third = Math.floor(columns / 3);
  const panes: readonly (readonly [title: string, width: number, figures: readonly Figure[]])[] = [
    ["Throughput", third, throughputFigures(facts)],
    ["Scheduler", third, schedulerFigures(facts, glyphs)],
    ["Memory", columns - 2 * third, memoryFigures(facts, glyphs)],
  ];
  return (
    <Box flexShrink={0}>
      {panes.map(([title, width, figures]) => (
        <Panel key={title} title={title} width={width} height={paneRows}>
          <FigureList
            figures={figures.slice(0, panelInnerHeight(paneRows))}
            width={panelInnerWidth(width)}
            isStale={link.kind === "down"}
          />
        </Panel>
      ))}
    </Box>
  );
});

/** The same in one row. */
export const ServerLine = memo(function ServerLine(props: ServerPanesProps): ReactElement {
  const { sources, columns } = props;
  const { glyphs, theme } = useLook();
  const now = useNow();
  const { samples } = useStore(sources.watch, (one) => one);
  const text = serverLineText(
    { samples, now, requests: useRequestFigures(sources.feed, now) },
    glyphs,
  );
  return (
    <Box height={1} flexShrink={0} paddingX={1}>
      <Text {...theme.dim} wrap="truncate">
        {fitText(text, Math.max(0, columns - 2), glyphs.ellipsis)}
      </Text>
    </Box>
  );
});

/** Once a second is enough for what is drawn over a minute. */
function useRequestFigures(feed: ServerSources["feed"], now: number): RequestFigures {
  const second = Math.floor(now / 1000) * 1000;
  return useMemo(() => requestFigures(feed.get(), second), [feed, second]);
}
