// The panes above the request table, or two rows of figures in a small window.

import { Box } from "ink";
import { memo, type ReactElement, useMemo } from "react";
import { formatMemory, formatMilliseconds } from "../../../base/formats.ts";
import { percentage, rate, span, tokenCount, usedOfTotal } from "../../../base/quantities.ts";
import type { WatchedServer } from "../../../client/live/server-watch.ts";
import type { LoadedModelFigures, ServerSample } from "../../../client/metrics.ts";
import { slotSquares } from "../../components/bars.tsx";
import { TextLine } from "../../components/line.tsx";
import { Panel, panelInnerHeight, panelInnerWidth } from "../../components/panel.tsx";
import { useNow } from "../../hooks/use-look.ts";
import { useStore } from "../../hooks/use-store.ts";
import { FigureList } from "../../live/figure-list.tsx";
import { type Figure, machineFigures } from "../../live/machine-figures.ts";
import { type RequestFigures, requestFigures } from "../../live/request-figures.ts";
import { glyphs } from "../../theme.ts";
import type { ServerSources } from "./server-state.ts";

/** Rows of the panes, borders included. */
export const paneRows = 7;
/** Rows of `ServerLines`. */
export const lineRows = 2;
const noModel = "no model loaded";
const squaresMaximum = 12;
/** Number of models in the scheduler's pane. */
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
  // Charts of a minute need one update per second.
  const second = Math.floor(now / 1000) * 1000;
  const requests = useMemo(() => requestFigures(feed.get(), second), [feed, second]);
  return { ...useStore(watch, (one) => one), requests, now };
}

/** Three panes side by side, redrawn with each sample: once a second. */
export const ServerPanes = memo(function ServerPanes(props: ServerPanesProps): ReactElement {
  const { columns } = props;
  const facts = useFacts(props.sources);
  const third = Math.floor(columns / 3);
  const panes: readonly (readonly [title: string, width: number, figures: readonly Figure[]])[] = [
    ["Throughput", third, throughputFigures(facts)],
    ["Scheduler", third, schedulerFigures(facts)],
    ["Memory", columns - 2 * third, memoryFigures(facts)],
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

/** The most important figures in two rows: work, then machine and models. */
export const ServerLines = memo(function ServerLines(props: ServerPanesProps): ReactElement {
  const facts = useFacts(props.sources);
  const separator = ` ${glyphs.separator} `;
  const texts = [
    workParts(facts).filter(Boolean).join(separator),
    loadParts(facts).filter(Boolean).join(separator),
  ];
  return (
    <Box flexDirection="column" height={lineRows} flexShrink={0} paddingX={1}>
      {texts.map((text, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity but their position
        <TextLine key={row} text={text} tone="dim" width={Math.max(0, props.columns - 2)} />
      ))}
    </Box>
  );
});

function workParts({ samples, requests }: ServerFacts) {
  const sample = samples.at(-1);
  if (sample === undefined) return [];
  const { tokensPerSecond, running, waiting, longestWaitMs } = sample;
  const { errorShare = 0, ttftMedianMs } = requests;
  const slots = slotCount(sample);
  return [
    `${rate(tokensPerSecond)} tok/s`,
    slots > 0 && `${running} of ${slots} slots`,
    waiting > 0 && `${waiting} waiting ${seconds(longestWaitMs)}`,
    errorShare > 0 && `errors ${percentage(errorShare)}`,
    ttftMedianMs !== undefined && `TTFT ${formatMilliseconds(ttftMedianMs)}`,
  ];
}

/** Models come last, since a narrow window cuts long names. */
function loadParts({ samples, now }: ServerFacts) {
  const sample = samples.at(-1);
  if (sample === undefined) return [];
  const { models, gpus, cpuLoad, memoryUsedBytes, memoryTotalBytes } = sample;
  const { memoryUsedBytes: cardUsed, memoryTotalBytes: cardTotal } = gpus[0] ?? {};
  return [
    cardUsed !== undefined && cardTotal !== undefined && `VRAM ${usedOfTotal(cardUsed, cardTotal)}`,
    `RAM ${usedOfTotal(memoryUsedBytes, memoryTotalBytes)}`,
    gpus.length === 0 && `CPU ${percentage(cpuLoad)}`,
    models.length === 0 && noModel,
    ...models.map((model) => `${model.name} ${modelState(model, now)}`),
  ];
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

function schedulerFigures({ samples, requests, now }: ServerFacts): Figure[] {
  const sample = samples.at(-1);
  if (sample === undefined) return [];
  const { models, running, waiting, longestWaitMs } = sample;
  const slots = slotCount(sample);
  const squares = slotSquares(running, slots, squaresMaximum);
  const { cachedShare } = requests;
  return [
    text("Slots", slots === 0 ? noModel : `${squares} ${running} of ${slots}`),
    text("Queue", waiting === 0 ? "empty" : `${waiting}, longest ${seconds(longestWaitMs)}`),
    text("Prefix", cachedShare === undefined ? "-" : `${percentage(cachedShare)} cached`),
    ...models.slice(0, modelsMaximum).map(
      (model): Figure => ({
        kind: "state",
        label: model.name,
        value: modelState(model, now),
        tone: "plain",
      }),
    ),
  ];
}

function slotCount({ models }: ServerSample): number {
  return models.reduce((sum, model) => sum + model.slots, 0);
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

function modelState(model: LoadedModelFigures, now: number): string {
  if (model.state === "loading") return `${glyphs.working} ${percentage(model.loadFraction)}`;
  if (model.state === "warming up") return `${glyphs.working} warming up`;
  if (model.state === "busy") return `${glyphs.working} busy`;
  if (model.expiresAt === undefined) return `${glyphs.ready} forever`;
  return `${glyphs.ready} ${span(model.expiresAt - now)} left`;
}

function memoryFigures({ samples }: ServerFacts): Figure[] {
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
    ...machineFigures(samples),
    ...(window > 0 ? cache : []),
    text("Server", `${formatMemory(processBytes)} without models`),
  ];
}

function text(label: string, value: string): Figure {
  return { kind: "text", label, value };
}
