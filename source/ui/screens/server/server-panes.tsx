// The panes above the request table, or one line of figures where there is no room for them.

import { Box } from "ink";
import { memo, type ReactElement, useMemo } from "react";
import { formatMemory } from "../../../base/byte-format.ts";
import { formatMilliseconds } from "../../../base/time-format.ts";
import type { LoadedModelFigures } from "../../../client/metrics.ts";
import { slotSquares } from "../../components/gauge.tsx";
import { Panel, panelInnerHeight, panelInnerWidth } from "../../components/panel.tsx";
import { TextLine } from "../../components/text-line.tsx";
import { useNow } from "../../hooks/use-clock.ts";
import { useLook } from "../../hooks/use-look.ts";
import { useStore } from "../../hooks/use-store.ts";
import { FigureList } from "../../live/figure-list.tsx";
import { type Figure, machineFigures } from "../../live/machine-figures.ts";
import { type RequestFigures, requestFigures } from "../../live/request-figures.ts";
import type { WatchedServer } from "../../live/server-watch.ts";
import { joinParts } from "../../text/join-parts.ts";
import { percentage, rate, span, tokenCount } from "../../text/quantities.ts";
import type { Glyphs } from "../../theme.ts";
import type { ServerSources } from "./server-state.ts";

/** Rows of the panes, borders included. */
export const paneRows = 7;
const squaresMaximum = 12;
/** Models that the scheduler's pane has room for. */
const modelsMaximum = 2;

export interface ServerPanesProps {
  readonly sources: ServerSources;
  readonly columns: number;
}

interface ServerFacts extends WatchedServer {
  readonly requests: RequestFigures;
  /** Milliseconds since 1970. */
  readonly now: number;
}

function useFacts({ watch, feed }: ServerSources): ServerFacts {
  const now = useNow();
  // Once a second is enough for what is drawn over a minute.
  const second = Math.floor(now / 1000) * 1000;
  const requests = useMemo(() => requestFigures(feed.get(), second), [feed, second]);
  return { ...useStore(watch, (one) => one), requests, now };
}

/** Three panes side by side, told of each new sample: once a second. */
export const ServerPanes = memo(function ServerPanes(props: ServerPanesProps): ReactElement {
  const { columns } = props;
  const { glyphs } = useLook();
  const facts = useFacts(props.sources);
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
            isStale={facts.link.kind === "down"}
          />
        </Panel>
      ))}
    </Box>
  );
});

/** The same in one row. */
export const ServerLine = memo(function ServerLine(props: ServerPanesProps): ReactElement {
  const { glyphs } = useLook();
  const text = serverLineText(useFacts(props.sources), glyphs);
  return (
    <Box height={1} flexShrink={0} paddingX={1}>
      <TextLine text={text} tone="dim" width={Math.max(0, props.columns - 2)} />
    </Box>
  );
});

function serverLineText({ samples, requests }: ServerFacts, glyphs: Glyphs): string {
  const sample = samples.at(-1);
  if (sample === undefined) return "";
  const { ttftMedianMs } = requests;
  const parts = [
    `${rate(sample.tokensPerSecond)} tok/s`,
    ttftMedianMs !== undefined && `TTFT ${formatMilliseconds(ttftMedianMs)}`,
    `${sample.running} running`,
    sample.waiting > 0 && `${sample.waiting} waiting`,
    `CPU ${percentage(sample.cpuLoad)}`,
    `RAM ${formatMemory(sample.memoryUsedBytes)}`,
  ];
  return joinParts(parts, ` ${glyphs.separator} `);
}

function throughputFigures({ samples, requests }: ServerFacts): Figure[] {
  const rates = samples.map(({ tokensPerSecond }) => tokensPerSecond);
  const { requestsPerSecond, errorsPerSecond, errorShare, ttftMedianMs, ttft95Ms } = requests;
  const trend = (label: string, value: string, values: readonly number[]): Figure => ({
    kind: "trend",
    label,
    value: value.padStart(6),
    values,
  });
  const perSecond = (requestsPerSecond.reduce((sum, count) => sum + count, 0) / 60).toFixed(1);
  const ttft =
    ttftMedianMs === undefined || ttft95Ms === undefined
      ? "none in the last minute"
      : `p50 ${formatMilliseconds(ttftMedianMs)}  p95 ${formatMilliseconds(ttft95Ms)}`;
  const { promptTokensPerSecond } = requests;
  return [
    trend("tok/s", rate(rates.at(-1) ?? 0), rates),
    trend("req/s", perSecond, requestsPerSecond),
    trend("errors", errorShare === undefined ? "-" : percentage(errorShare), errorsPerSecond),
    text("TTFT", ttft),
    ...(promptTokensPerSecond === undefined
      ? []
      : [text("prefill", `${rate(promptTokensPerSecond)} tok/s`)]),
  ];
}

function schedulerFigures({ samples, requests, now }: ServerFacts, glyphs: Glyphs): Figure[] {
  const sample = samples.at(-1);
  if (sample === undefined) return [];
  const { models, running, waiting, longestWaitMs } = sample;
  const slots = models.reduce((sum, model) => sum + model.slots, 0);
  const squares = slotSquares(running, slots, squaresMaximum, glyphs);
  const { cachedShare } = requests;
  return [
    text("Slots", slots === 0 ? "no model is loaded" : `${squares} ${running} of ${slots}`),
    text(
      "Queue",
      waiting === 0 ? "empty" : `${waiting}, longest ${(longestWaitMs / 1000).toFixed(1)} s`,
    ),
    text("Prefix", cachedShare === undefined ? "-" : `${percentage(cachedShare)} from memory`),
    ...models.slice(0, modelsMaximum).map(
      (model): Figure => ({
        kind: "state",
        label: model.name,
        value: modelState(model, now, glyphs),
        tone: "plain",
      }),
    ),
  ];
}

function modelState(model: LoadedModelFigures, now: number, glyphs: Glyphs): string {
  if (model.state === "loading") return `${glyphs.working} ${percentage(model.loadFraction)}`;
  if (model.state === "busy") return `${glyphs.working} busy`;
  if (model.expiresAt === undefined) return `${glyphs.ready} stays`;
  return `${glyphs.ready} ${span(model.expiresAt - now)}`;
}

function memoryFigures({ samples }: ServerFacts, glyphs: Glyphs): Figure[] {
  const sample = samples.at(-1);
  if (sample === undefined) return [];
  const { models, contextTokens, processBytes } = sample;
  const window = models.reduce((sum, { slots, contextLength }) => sum + slots * contextLength, 0);
  const cacheBytes = models.reduce((sum, model) => sum + model.cacheBytes, 0);
  const share = contextTokens / window;
  const value = `${percentage(share)} of ${tokenCount(window)}`;
  const cache: Figure[] = [
    { kind: "gauge", label: "KV", value, share },
    text("KV size", `${formatMemory(cacheBytes)} ${models[0]?.cacheType ?? ""}`),
  ];
  return [
    ...machineFigures(samples, glyphs),
    ...(window > 0 ? cache : []),
    text("Server", `${formatMemory(processBytes)} without models`),
  ];
}

function text(label: string, value: string): Figure {
  return { kind: "text", label, value };
}
